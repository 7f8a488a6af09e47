#pragma once
/// \file
/// How far off an answer can be: bands that hold what is measured in nine of ten runs, or in
/// another share of them.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include <gpuplan/accuracy/error_class.hpp>
#include <gpuplan/accuracy/error_row.hpp>
#include <gpuplan/accuracy/error_rows.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// What the errors of an answer rest on, the best first.
enum class error_grade {
  calibrated,   ///< a profile of this machine
  validated,    ///< runs of two sources or more of the same kind, software and device
  related,      ///< runs of other software, of one source, on fewer than half the GPUs, or on a
                ///< relative of the device
  extrapolated  ///< no runs of this kind, on no such device, or with no such recipe
};

/// A name for programs: "validated".
constexpr std::string_view name_of(error_grade grade) {
  switch (grade) {
    case error_grade::calibrated: return "calibrated";
    case error_grade::validated: return "validated";
    case error_grade::related: return "related";
    case error_grade::extrapolated: return "extrapolated";
  }
  return "unknown";
}

/// The share of runs that a band holds where none is given.
inline constexpr double usual_level = 0.9;

/// The errors of a class: quantiles of ln(measured / predicted) at error_probabilities.
struct error_distribution {
  error_quantiles quantiles{};  ///< not decreasing
  error_grade grade = error_grade::extrapolated;
  int runs = 0;     ///< measured
  int sources = 0;  ///< that measured them

  friend constexpr bool operator==(const error_distribution&, const error_distribution&) = default;
};

/// Factors on a predicted quantity, between which the measured one is.
struct error_band {
  double low = 1;   ///< <= 1
  double high = 1;  ///< >= 1
  error_grade grade = error_grade::extrapolated;
  int runs = 0;     ///< measured, on which it rests
  int sources = 0;  ///< that measured them
};

namespace detail {

constexpr bool covers(const error_row& row, const error_class& asked) {
  return row.of == asked.of && (!row.kind || *row.kind == asked.kind) &&
         (!row.software || *row.software == asked.software) &&
         (!row.launches || *row.launches == asked.launches) &&
         (!row.many_gpus || *row.many_gpus == asked.many_gpus) &&
         (!row.known_device || *row.known_device == has_timed_steps(asked.device));
}

/// The finest row that covers a class, of a table with the finest first.
constexpr const error_row& row_of(const error_class& asked, std::span<const error_row> rows) {
  for (const error_row& row : rows)
    if (covers(row, asked)) return row;
  refuse("error_distribution_of: no errors of this quantity are known");
}

/// The quantiles of `a`, those below the middle no higher and those above no lower than of `b`.
constexpr error_quantiles hull(error_quantiles a, const error_quantiles& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (error_probabilities[i] < 0.5) a[i] = (std::min)(a[i], b[i]);
    if (error_probabilities[i] > 0.5) a[i] = (std::max)(a[i], b[i]);
  }
  for (std::size_t i = 1; i < a.size(); ++i) a[i] = (std::max)(a[i], a[i - 1]);
  return a;
}

/// On more GPUs than this many times those of the largest run, a step is of another scale.  An
/// assumption: no runs tell how errors grow with the scale.
inline constexpr std::int64_t same_scale = 2;

constexpr bool has_scale_of(const error_row& row, const error_class& asked) {
  return row.most_gpus == 0 || asked.gpus <= same_scale * row.most_gpus;
}

/// Whether no step was timed on such a device, or with such a recipe.
constexpr bool is_unlike_runs(const error_class& asked) {
  return !has_timed_steps(asked.device) || asked.beyond_runs;
}

/// The finest row of all software that covers a step's class; of devices that nobody timed, too,
/// if `any_device` says so.
constexpr const error_row& row_of_any_software(const error_class& asked, bool any_device,
                                               std::span<const error_row> rows) {
  for (const error_row& row : rows)
    if (!row.software && !(any_device && row.known_device) && covers(row, asked)) return row;
  return row_of(asked, rows);
}

/// Of a quantity that knows neither what is trained nor the software, but for the device: all its
/// runs are of one class.
constexpr error_grade grade_of_one_class(const error_row& row, const error_class& asked) {
  if (!has_timed_steps(asked.device)) return error_grade::extrapolated;
  const bool near = asked.device == operator_origin::measured;
  return row.sources > 1 && near ? error_grade::validated : error_grade::related;
}

constexpr error_grade grade_of(const error_row& row, const error_class& asked) {
  if (asked.of == prediction::collective || asked.of == prediction::wait)
    return grade_of_one_class(row, asked);
  const bool memory = asked.of != prediction::step;
  if (!row.kind || (!memory && is_unlike_runs(asked))) return error_grade::extrapolated;
  const bool near =
      memory || (asked.device == operator_origin::measured && has_scale_of(row, asked));
  return row.software && row.sources > 1 && near ? error_grade::validated : error_grade::related;
}

}  // namespace detail

/// What is known of the errors of a class: those of the finest row of the table that covers it.  On
/// a device that nobody measured they are at least those on devices that somebody did.  Steps that
/// are unlike the runs of that row have at least the errors of more runs that are less alike: on
/// many more GPUs those of all software, with a recipe that no run had those on any device, too.
/// What the allocator reserves holds what tensors have, and what the device shows holds both: the
/// errors of the outer are at least those of the inner, which more runs report.
///
/// \throws invalid_input if no row covers the class; the library's own table covers every one
constexpr error_distribution error_distribution_of(const error_class& asked,
                                                   std::span<const error_row> rows = error_rows) {
  const error_row& row = detail::row_of(asked, rows);
  error_distribution found{row.quantiles, detail::grade_of(row, asked), row.runs, row.sources};
  const auto widen = [&](const error_class& other) {
    found.quantiles = detail::hull(found.quantiles, detail::row_of(other, rows).quantiles);
  };
  error_class other = asked;
  if (asked.of == prediction::step && (asked.beyond_runs || !detail::has_scale_of(row, asked)))
    found.quantiles = detail::hull(
        found.quantiles, detail::row_of_any_software(asked, asked.beyond_runs, rows).quantiles);
  if (!has_timed_steps(asked.device)) {
    other.device = operator_origin::measured;
    widen(other);
  }
  if (asked.of == prediction::reserved_memory || asked.of == prediction::device_memory) {
    other.of = prediction::allocated_memory;
    widen(other);
  }
  if (asked.of == prediction::device_memory) {
    other.of = prediction::reserved_memory;
    widen(other);
  }
  return found;
}

/// The factor on a prediction below which what is measured is with probability p.
///
///     f(p) = exp q(p)
///     q(p) = q_i + (q_(i+1) - q_i) (p - p_i) / (p_(i+1) - p_i)      between p_i and p_(i+1)
///     q(p) = q_n + (q_n - q_(n-1)) ln((1 - p_n) / (1 - p)) / ln((1 - p_(n-1)) / (1 - p_n))
///                                                                   above the last, p_n
///     q(p) = q_1 + (q_1 - q_2) ln(p_1 / p) / ln(p_2 / p_1)          below the first, p_1
///
///     p         probability                                 1, above 0 and below 1
///     p_i, q_i  error_probabilities and their quantiles     1
///
/// Holds when jobs are as those of the class; the tails are exponential, which is not measured.
///
/// Source: the quantiles are those of split conformal prediction by class: V. Vovk, A. Gammerman,
/// G. Shafer, "Algorithmic Learning in a Random World" (2005), sections 4.5 and 4.6.
///
/// \throws invalid_input if p is not between 0 and 1
inline double error_factor(const error_distribution& errors, double p) {
  require(p > 0 && p < 1, "error_factor: p must be between 0 and 1");
  const auto& at = error_probabilities;
  const error_quantiles& q = errors.quantiles;
  constexpr std::size_t last = error_probabilities.size() - 1;
  if (p > at[last])
    return std::exp(q[last] + (q[last] - q[last - 1]) * std::log((1 - at[last]) / (1 - p)) /
                                  std::log((1 - at[last - 1]) / (1 - at[last])));
  if (p < at[0])
    return std::exp(q[0] + (q[0] - q[1]) * std::log(at[0] / p) / std::log(at[1] / at[0]));
  std::size_t i = 1;
  while (p > at[i]) ++i;
  return std::exp(q[i - 1] + (q[i] - q[i - 1]) * (p - at[i - 1]) / (at[i] - at[i - 1]));
}

/// The probability that what is measured is at most `factor` times what is predicted: the inverse
/// of error_factor.
///
/// \throws invalid_input if factor is negative or not a number
inline double probability_within(const error_distribution& errors, double factor) {
  require(factor >= 0, "probability_within: factor must be >= 0");
  if (factor == 0) return 0;
  if (factor == std::numeric_limits<double>::infinity()) return 1;
  const double x = std::log(factor);
  const auto& at = error_probabilities;
  const error_quantiles& q = errors.quantiles;
  constexpr std::size_t last = error_probabilities.size() - 1;
  if (x > q[last]) {
    const double step = q[last] - q[last - 1];
    if (!(step > 0)) return 1;
    return 1 - (1 - at[last]) * std::pow((1 - at[last]) / (1 - at[last - 1]), (x - q[last]) / step);
  }
  if (x < q[0]) {
    const double step = q[1] - q[0];
    return step > 0 ? at[0] * std::pow(at[0] / at[1], (q[0] - x) / step) : 0;
  }
  std::size_t i = 1;
  while (x > q[i]) ++i;
  const double step = q[i] - q[i - 1];
  return step > 0 ? at[i - 1] + (at[i] - at[i - 1]) * (x - q[i - 1]) / step : at[i];
}

/// The band that holds what is measured with the probability `level`; it holds the prediction, too.
///
///     low  = min(1, f((1 - level) / 2))
///     high = max(1, f((1 + level) / 2))
///
///     f      error_factor                       1
///     level  share of runs that a band holds    1, above 0 and below 1
///
/// \throws invalid_input if level is not between 0 and 1
inline error_band error_band_of(const error_distribution& errors, double level = usual_level) {
  require(level > 0 && level < 1, "error_band_of: level must be between 0 and 1");
  return {.low = (std::min)(1.0, error_factor(errors, (1 - level) / 2)),
          .high = (std::max)(1.0, error_factor(errors, (1 + level) / 2)),
          .grade = errors.grade,
          .runs = errors.runs,
          .sources = errors.sources};
}

/// The same of a class.
inline error_band error_band_of(const error_class& asked, double level = usual_level) {
  return error_band_of(error_distribution_of(asked), level);
}

}  // namespace gpuplan
