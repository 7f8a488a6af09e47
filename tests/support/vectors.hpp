#pragma once
/// \file
/// The vectors: tables of values that tests hold the library against, one JSON file each.

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <string_view>

#include <nlohmann/json.hpp>

#include "support/data.hpp"

namespace gpuplan::testing {

/// What a JSON file holds.
/// \throws std::runtime_error naming the path if it cannot be read or is not JSON
nlohmann::json load_json(const std::filesystem::path& path);

/// The vectors called `name`: <name>.json in GPUPLAN_VECTORS, else in tests/data/vectors.
/// \throws std::runtime_error naming the path if it cannot be read or is not JSON
nlohmann::json load_vectors(std::string_view name);

/// The vectors called `name` of tests/data/vectors, whatever GPUPLAN_VECTORS says: those that
/// constants of the library were fitted to, and rows that a test names.
/// \throws std::runtime_error naming the path if it cannot be read or is not JSON
nlohmann::json load_own_vectors(std::string_view name);

/// Whether load_vectors gives those of tests/data/vectors, in which every class has its rows.
bool are_own_vectors();

/// Of fewer rows than this a mean, a median or a percentile says nothing of a class.
inline constexpr std::size_t least_rows_judged = 8;

/// Whether goals of a class of so many rows are judged: of other vectors where it has enough of
/// them. Each row is judged alone, by its own tolerance, however many there are.
inline bool is_judged(std::size_t rows) {
  return rows >= least_rows_judged || are_own_vectors();
}

/// What a goal of a class is multiplied by: 1 where it was stated of these very rows. A mean or a
/// percentile of n other rows of the class deviates by 1/sqrt(n) of itself, where errors spread
/// like an exponential law; three deviations are let pass.
inline double sampling(std::size_t rows) {
  return are_own_vectors() ? 1 : 1 + 3 / std::sqrt(static_cast<double>(rows));
}

/// The most of n rows that may miss a goal which a share q of all rows of the class misses:
///
///     least c with  P(X > c) <= 0.00135,   X ~ binomial(n, q)
///
/// so that other rows of the class fail once in 740 draws, as beyond three deviations of a normal
/// law. It holds whatever the law of the errors, where sampling() takes an exponential one: of a
/// p90 the rare large errors decide, and these spread more widely. Rows count as independent.
///
/// Source: W. J. Conover, "Practical Nonparametric Statistics", 3rd ed., Wiley (1999), section 3.2,
/// the quantile test.
inline std::size_t most_that_miss(std::size_t rows, double share) {
  const auto n = static_cast<double>(rows);
  double beyond = 1;
  std::size_t count = 0;
  for (; count < rows; ++count) {
    const auto k = static_cast<double>(count);
    beyond -= std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                       k * std::log(share) + (n - k) * std::log1p(-share));
    if (beyond <= 0.00135) break;
  }
  return count;
}

}  // namespace gpuplan::testing
