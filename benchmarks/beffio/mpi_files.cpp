// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_files.hpp"

#include <array>

namespace beffio {
namespace {

class mpi_category final : public std::error_category {
 public:
  char const* name() const noexcept override { return "mpi"; }
  std::string message(int code) const override {
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    return {text.data(), static_cast<std::size_t>(length)};
  }
};

std::error_code to_error(int result) {
  static mpi_category const category;
  return result == MPI_SUCCESS ? std::error_code() : std::error_code(result, category);
}

class info {
 public:
  explicit info(hint_list const& list) {
    if (list.empty()) return;
    MPI_Info_create(&info_);
    for (auto const& [key, value] : list) MPI_Info_set(info_, key.c_str(), value.c_str());
  }
  info(info const&) = delete;
  info& operator=(info const&) = delete;
  ~info() {
    if (info_ != MPI_INFO_NULL) MPI_Info_free(&info_);
  }
  MPI_Info get() const { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

std::int64_t moved(int result, MPI_Status& status, std::error_code& error) {
  error = to_error(result);
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  return error || bytes == MPI_UNDEFINED ? 0 : bytes;
}

}  // namespace

mpi_files::file mpi_files::open(argosy::mpi const& world, open_request const& r,
                                std::error_code& error) {
  int how = r.how == opened::to_read    ? MPI_MODE_RDONLY
            : r.how == opened::to_write ? MPI_MODE_WRONLY | MPI_MODE_CREATE
                                        : MPI_MODE_WRONLY;
  if (r.unique) how |= MPI_MODE_UNIQUE_OPEN;
  MPI_File f = MPI_FILE_NULL;
  error = to_error(MPI_File_open(world.get(), r.path.c_str(), how, info(r.hints).get(), &f));
  return file(error ? MPI_FILE_NULL : f);
}

std::error_code mpi_files::remove(std::string const& path) {
  // Some MPI libraries leave a second file for the shared pointer. It is removed with the
  // directory.
  return to_error(MPI_File_delete(path.c_str(), MPI_INFO_NULL));
}

void mpi_files::file::set_view(placement const& p, hint_list const& h, std::error_code& error) {
  MPI_Datatype type = MPI_DOUBLE;
  if (p.chunk != 0) {
    std::array<int, 2> const sizes{p.ranks, static_cast<int>(p.chunk / 8)}, grid{p.ranks, 1},
        rules{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE},
        defaults{MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
    MPI_Type_create_darray(p.ranks, p.rank, 2, sizes.data(), rules.data(), defaults.data(),
                           grid.data(), MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
  }
  error =
      to_error(MPI_File_set_view(file_, p.displacement, MPI_DOUBLE, type, "native", info(h).get()));
  if (p.chunk != 0) MPI_Type_free(&type);
}

void mpi_files::file::set_hints(hint_list const& h, std::error_code& error) {
  error = to_error(MPI_File_set_info(file_, info(h).get()));
}

std::int64_t mpi_files::file::write(call c, const_words w, std::error_code& error) {
  MPI_Status status{};
  int const n = static_cast<int>(w.size());
  return moved((c == call::together  ? MPI_File_write_all
                : c == call::ordered ? MPI_File_write_ordered
                                     : MPI_File_write)(file_, w.data(), n, MPI_DOUBLE, &status),
               status, error);
}

std::int64_t mpi_files::file::read(call c, words w, std::error_code& error) {
  MPI_Status status{};
  int const n = static_cast<int>(w.size());
  return moved((c == call::together  ? MPI_File_read_all
                : c == call::ordered ? MPI_File_read_ordered
                                     : MPI_File_read)(file_, w.data(), n, MPI_DOUBLE, &status),
               status, error);
}

void mpi_files::file::seek(std::int64_t words_on, std::error_code& error) {
  error = to_error(MPI_File_seek(file_, words_on, MPI_SEEK_SET));
}
void mpi_files::file::seek_shared(std::int64_t words_on, std::error_code& error) {
  error = to_error(MPI_File_seek_shared(file_, words_on, MPI_SEEK_SET));
}
void mpi_files::file::sync(std::error_code& error) { error = to_error(MPI_File_sync(file_)); }
void mpi_files::file::close(std::error_code& error) { error = to_error(MPI_File_close(&file_)); }

std::string mpi_files::file::in_force(hint_list const& list) const {
  if (list.empty()) return {};
  MPI_Info used = MPI_INFO_NULL;
  if (MPI_File_get_info(file_, &used) != MPI_SUCCESS) return {};
  std::string text;
  for (auto const& [key, value] : list) {
    std::array<char, MPI_MAX_INFO_VAL + 1> found{};
    int there = 0;
    MPI_Info_get(used, key.c_str(), MPI_MAX_INFO_VAL, found.data(), &there);
    if (!text.empty()) text += ';';
    text += key + "=" + found.data() + (there ? "" : " (ignored)");
  }
  MPI_Info_free(&used);
  return text;
}

}  // namespace beffio
