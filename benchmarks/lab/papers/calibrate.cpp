// Implements calibrate.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace papers {

namespace {

using vector = std::vector<double>;
using matrix = std::vector<vector>;

constexpr int most_steps = 4;
constexpr double least_deviation = 0.03, probe = 0.05;

// Returns the inverse of a symmetric, positive definite matrix.
matrix inverse(matrix a) {
  std::size_t const n = a.size();
  matrix b(n, vector(n));
  for (std::size_t i = 0; i < n; ++i) b[i][i] = 1;
  for (std::size_t i = 0; i < n; ++i) {
    double const d = a[i][i];
    for (std::size_t j = 0; j < n; ++j) a[i][j] /= d, b[i][j] /= d;
    for (std::size_t k = 0; k < n; ++k) {
      if (k == i) continue;
      double const f = a[k][i];
      for (std::size_t j = 0; j < n; ++j) a[k][j] -= f * a[i][j], b[k][j] -= f * b[i][j];
    }
  }
  return b;
}

double deviation_of(row const& r) {
  constexpr double repetitions = 10;
  return std::max(least_deviation, r.published_sd / r.published / std::sqrt(repetitions));
}

double badness_of(vector const& residuals) {
  double sum = 0;
  for (double const r : residuals) sum += r * r;
  return sum;
}

// Returns the matrix of the normal equations, and the direction in which the residuals get less.
std::pair<matrix, vector> normal_equations(matrix const& slopes, vector const& residuals) {
  std::size_t const n = slopes.size();
  matrix normal(n, vector(n));
  vector downhill(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < residuals.size(); ++k)
        normal[i][j] += slopes[i][k] * slopes[j][k];
    for (std::size_t k = 0; k < residuals.size(); ++k) downhill[i] -= slopes[i][k] * residuals[k];
  }
  return {normal, downhill};
}

}  // namespace

fit calibrate(laboratory& lab, std::string const& machine, std::vector<row> const& rows,
              std::function<void(std::string const&)> const& tell) {
  paper_machine& m = lab.machine(machine);
  std::vector<row const*> fitted_to;
  for (row const& r : rows)
    if (r.machine == machine && r.role == part::calibrate) fitted_to.push_back(&r);
  std::vector<std::string> names;
  vector start;
  for (auto const& [name, p] : m.given)
    if (p.kind == origin::calibrated && p.value > 0)
      names.push_back(name), start.push_back(std::log(p.value));
  std::size_t const n = names.size();
  if (n == 0 || fitted_to.empty())
    throw std::invalid_argument(machine + " has nothing to calibrate");
  if (3 * n > 2 * fitted_to.size())
    throw std::invalid_argument(
        fmt::format("{} has {} calibrated parameters for {} rows: at most two for three", machine,
                    n, fitted_to.size()));

  auto const residuals_at = [&](vector const& x) {
    for (std::size_t i = 0; i < n; ++i) {
      m.set(names[i], std::exp(x[i]));
      m.given[names[i]].value = std::exp(x[i]);
    }
    vector all;
    for (row const* r : fitted_to)
      all.push_back(std::log(lab.measure(*r).simulated / r->published) / deviation_of(*r));
    for (std::size_t i = 0; i < n; ++i) all.push_back((x[i] - start[i]) / std::log(1.5));
    return all;
  };

  fit done;
  done.rows = static_cast<int>(fitted_to.size());
  vector x = start, residuals = residuals_at(x);
  done.badness_before = badness_of(residuals);
  for (int step = 0; step < most_steps; ++step) {
    tell(fmt::format("{}, step {}: badness {:.2f}", machine, step, badness_of(residuals)));
    matrix slopes(n);
    for (std::size_t i = 0; i < n; ++i) {
      vector moved = x;
      moved[i] += probe;
      vector const there = residuals_at(moved);
      slopes[i].resize(there.size());
      for (std::size_t k = 0; k < there.size(); ++k)
        slopes[i][k] = (there[k] - residuals[k]) / probe;
    }
    auto const [normal, downhill] = normal_equations(slopes, residuals);
    done.covariance = inverse(normal);
    vector best = x, best_residuals = residuals;
    for (double length = 1; length > 0.1; length /= 2) {
      vector next = x;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) next[i] += length * done.covariance[i][j] * downhill[j];
        parameter const& p = m.given[names[i]];
        next[i] = std::clamp(next[i], std::log(std::max(p.low, 1e-12)), std::log(p.high));
      }
      vector const there = residuals_at(next);
      if (badness_of(there) >= badness_of(best_residuals)) continue;
      best = next;
      best_residuals = there;
      break;
    }
    bool const stands = badness_of(best_residuals) > 0.98 * badness_of(residuals);
    x = best;
    residuals = best_residuals;
    if (stands) break;
  }
  residuals_at(x);
  done.badness = badness_of(residuals);
  for (std::size_t i = 0; i < n; ++i)
    done.parameters.push_back(
        {names[i], std::exp(start[i]), std::exp(x[i]), std::sqrt(done.covariance[i][i])});
  return done;
}

}  // namespace papers
