// The module argosy._argosy, which the Python files of argosy use.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <string>
#include <string_view>

#include <nanobind/nanobind.h>

#include <argosy/plan/draw.hpp>
#include <argosy/version.hpp>

#include "array_file.hpp"
#include "formats.hpp"

namespace argosy::python {
namespace {

// Calls `f` without the lock of the interpreter.
template <class F>
auto freely(F&& f) {
  nb::gil_scoped_release const others_run;
  return f();
}

access_kind kind_of(bool writes) { return writes ? access_kind::write : access_kind::read; }

std::string escaped(std::string_view text) {
  std::string all;
  for (char const c : text) {
    if (c == '&')
      all += "&amp;";
    else if (c == '<')
      all += "&lt;";
    else if (c == '>')
      all += "&gt;";
    else
      all += c;
  }
  return all;
}

void add_reports(nb::module_& m) {
  nb::class_<report> r(m, "Report");
  r.def_ro("policy", &report::policy)
      .def_prop_ro("reason", [](report const& x) { return std::string(x.reason); })
      .def("__str__", [](report const& x) { return to_string(x); })
      .def("__repr__", [](report const& x) { return "<argosy.Report " + to_string(x) + ">"; })
      .def("table", [](report const& x) { return to_table(x); })
      .def("_repr_html_",
           [](report const& x) { return "<pre>" + escaped(to_table(x)) + "</pre>"; });
  for (detail::report_number const& n : detail::report_numbers)
    r.def_prop_ro(n.name.data(), [which = n.value](report const& x) { return x.*which; });

  nb::class_<argosy::plan>(m, "Plan")
      .def_ro("policy", &argosy::plan::policy)
      .def_ro("reason", &argosy::plan::reason)
      .def_prop_ro("windows", [](argosy::plan const& p) { return p.windows.size(); })
      .def_prop_ro("file_calls", [](argosy::plan const& p) { return p.file_calls(); })
      .def_prop_ro("bytes", [](argosy::plan const& p) { return p.wanted(); })
      .def("__str__", [](argosy::plan const& p) { return to_string(p); })
      .def("_repr_html_", [](argosy::plan const& p) { return draw(p); });
  nb::class_<collective_plan>(m, "CollectivePlan")
      .def_ro("policy", &collective_plan::policy)
      .def_prop_ro("reason", [](collective_plan const& p) { return std::string(p.reason); })
      .def_ro("together", &collective_plan::together)
      .def_prop_ro("rounds", [](collective_plan const& p) { return p.rounds(); })
      .def_prop_ro("aggregators",
                   [](collective_plan const& p) {
                     std::vector<int> all;
                     for (extend::file_domain const& d : p.domains) all.push_back(d.rank);
                     return all;
                   })
      .def("__str__", [](collective_plan const& p) { return to_string(p); })
      .def("_repr_html_", [](collective_plan const& p) { return draw(p); });
}

void add_files(nb::module_& m) {
  nb::class_<array_file>(m, "ArrayFile")
      .def("access",
           [](array_file& f, bool writes, nb::callable d) {
             described const what(std::move(d));
             return freely([&] { return f.access(kind_of(writes), what); });
           })
      .def("access_all",
           [](array_file& f, bool writes, nb::callable d) {
             described const what(std::move(d));
             return freely([&] { return f.access_all(kind_of(writes), what); });
           })
      .def("explain",
           [](array_file& f, bool writes, nb::callable d) {
             described const what(std::move(d));
             return freely([&] { return f.explain(kind_of(writes), what); });
           })
      .def("explain_all",
           [](array_file& f, bool writes, nb::callable d) {
             described const what(std::move(d));
             return freely([&] { return f.explain_all(kind_of(writes), what); });
           })
      .def("close", [](array_file& f) { freely([&] { f.close(); }); })
      .def("sync", [](array_file& f) { freely([&] { f.sync(); }); })
      .def("resize", [](array_file& f, std::int64_t n) { freely([&] { f.set_size(n); }); })
      .def("set_atomic", [](array_file& f, bool on) { freely([&] { f.set_atomic(on); }); })
      .def("size", [](array_file& f) { return freely([&] { return f.size(); }); })
      .def("hints", [](array_file& f) { return freely([&] { return f.hints(); }); })
      .def_prop_ro("is_open", &array_file::is_open)
      .def_prop_ro("path", &array_file::path)
      .def_prop_ro("shape", &array_file::shape)
      .def_prop_ro("dtype", &array_file::dtype)
      .def_prop_ro("is_fortran", &array_file::is_fortran);

  m.def(
      "open",
      [](nb::object comm, std::string const& path, bool sized, nb::callable d) {
        ranks const world(comm);
        described const what(std::move(d));
        return freely([&] { return array_file::open(world, path, what, sized); });
      },
      nb::arg("comm").none(), nb::arg("path"), nb::arg("sized"), nb::arg("describe"));
  m.def(
      "create_npy",
      [](nb::object comm, std::string const& path, nb::callable d) {
        ranks const world(comm);
        described const what(std::move(d));
        return freely([&] { return array_file::create_npy(world, path, what); });
      },
      nb::arg("comm").none(), nb::arg("path"), nb::arg("describe"));
  m.def(
      "open_npy",
      [](nb::object comm, std::string const& path, nb::callable d) {
        ranks const world(comm);
        described const what(std::move(d));
        return freely([&] { return array_file::open_npy(world, path, what); });
      },
      nb::arg("comm").none(), nb::arg("path"), nb::arg("describe"));
}

}  // namespace

NB_MODULE(_argosy, m) {
  nb::set_leak_warnings(false);  // objects of MPI are kept until the end
  translate_exceptions();
  m.attr("version") = std::string(argosy::version());
  // For tests.
  m.def("set_largest_count", [](std::size_t n) { largest_count = n; });
  m.def("set_sharing", [](bool on) { shares_memory = on; });
  add_reports(m);
  add_files(m);
  add_formats(m);
}

}  // namespace argosy::python
