#pragma once
/// \file
/// Quantiles of errors by class, as split conformal prediction has them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gpuplan/accuracy/error_row.hpp>

#include "accuracy/error_residuals.hpp"

namespace gpuplan::accuracy {

/// An error and how much it counts.
struct weighted_error {
  double error = 0;
  double weight = 1;
};

/// The p-quantile of errors, one more of `draws` of equal weight lying above all of them: the least
/// at or below which p of the whole weight is; the largest where that is none.  A draw is a row, or
/// a source where it is the source that is another.
///
/// Source: V. Vovk, A. Gammerman, G. Shafer, "Algorithmic Learning in a Random World" (2005),
/// section 4.5; with weights: R. Foygel Barber et al., "Conformal prediction beyond
/// exchangeability", Annals of Statistics 51 (2023); of rows in groups: R. Dunn, L. Wasserman,
/// A. Ramdas, "Distribution-free prediction sets for two-layer hierarchical models", Journal of the
/// American Statistical Association 118 (2023).
inline double upper_quantile(std::vector<weighted_error> errors, double p, std::size_t draws) {
  std::sort(errors.begin(), errors.end(),
            [](const auto& a, const auto& b) { return a.error < b.error; });
  double whole = 0;
  for (const weighted_error& one : errors) whole += one.weight;
  whole += whole / static_cast<double>(draws);
  double sum = 0;
  for (const weighted_error& one : errors)
    if ((sum += one.weight) >= p * whole) return one.error;
  return errors.back().error;
}

/// The same with the further one below all of them.
inline double lower_quantile(std::vector<weighted_error> errors, double p, std::size_t draws) {
  for (weighted_error& one : errors) one.error = -one.error;
  return -upper_quantile(std::move(errors), 1 - p, draws);
}

/// Each side of a band is at least this share of half of a symmetric one: a few rows of one sign do
/// not say that there are none of the other.
inline constexpr double least_side = 0.5;

/// How the weight of a source grows with its n rows: as n to this power.
inline constexpr double weight_of_sources = 0.75;

/// What a run that is judged has not in common with those of its class.
enum class unseen_part {
  row,    ///< it is another run of such software
  source  ///< it is of software, or of a kind, that the class does not name: of another source
};

/// A tail is further out than the quantile before it by this share of it, at least.
inline constexpr double least_tail = 0.1;

/// Of a class.
inline error_quantiles quantiles_of(const std::vector<const residual*>& rows, unseen_part unseen) {
  std::map<std::string, double> count;
  for (const residual* row : rows) count[row->source] += 1;
  std::vector<weighted_error> errors;
  std::vector<weighted_error> sizes;
  for (const residual* row : rows) {
    const double weight = std::pow(count[row->source], weight_of_sources - 1);
    errors.push_back({row->error, weight});
    sizes.push_back({std::abs(row->error), weight});
  }
  const bool of_sources = unseen == unseen_part::source;
  const std::size_t sides = of_sources ? count.size() : rows.size();
  // One more source lies above all others, or below them: each end has half of it.
  const std::size_t draws = of_sources ? 2 * count.size() : rows.size();
  error_quantiles found{};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double p = error_probabilities[i];
    const double least = least_side * upper_quantile(sizes, std::abs(2 * p - 1), sides);
    if (p < 0.5) found[i] = (std::min)(lower_quantile(errors, p, draws), -least);
    if (p == 0.5) found[i] = lower_quantile(errors, p, rows.size());
    if (p > 0.5) found[i] = (std::max)(upper_quantile(errors, p, draws), least);
  }
  for (std::size_t i = 1; i < found.size(); ++i) found[i] = (std::max)(found[i], found[i - 1]);
  if (unseen == unseen_part::row) return found;
  // Of few sources the most extreme row stands for several quantiles: no end of the errors.
  const std::size_t last = found.size() - 1;
  found[0] = (std::min)(found[0], (1 + least_tail) * found[1]);
  found[last] = (std::max)(found[last], (1 + least_tail) * found[last - 1]);
  return found;
}

/// Fewer rows make no class of their own.
inline constexpr std::size_t least_runs_of_class = 15;

/// Of fewer rows the 5 % and the 95 % quantile are the two extreme rows: 39 / 40 > 0.95.
inline constexpr std::size_t least_runs_of_tails = 39;

/// Of fewer rows than that, fewer sources make no class of their own: two sources speak of
/// themselves.
inline constexpr std::size_t least_sources_of_few = 3;

/// Which tails of a class no row but the most extreme one tells.
struct open_tails {
  bool low = false;
  bool high = false;
};

/// Both of few rows.  Of more, where a row is what is drawn, that whose quantile is the most extreme
/// row, as it can be of rows with weights: by itself it does not tell a tail.
inline open_tails open_tails_of(const std::vector<const residual*>& rows,
                                const error_quantiles& own, unseen_part unseen) {
  if (rows.size() < least_runs_of_tails) return {.low = true, .high = true};
  if (unseen == unseen_part::source) return {};
  const auto [least, most] =
      std::minmax_element(rows.begin(), rows.end(),
                          [](const residual* a, const residual* b) { return a->error < b->error; });
  return {.low = own.front() <= (*least)->error, .high = own.back() >= (*most)->error};
}

/// With open tails of a coarser class, where the extreme rows are further out.
inline error_quantiles with_tails_of(error_quantiles own, const error_quantiles& coarser,
                                     const open_tails& open) {
  const std::size_t last = own.size() - 1;
  const double low = (1 + least_tail) * own[1];
  const double high = (1 + least_tail) * own[last - 1];
  if (open.low) own[0] = (std::max)((std::min)(own[0], low), (std::min)(low, coarser[0]));
  if (open.high)
    own[last] = (std::min)((std::max)(own[last], high), (std::max)(high, coarser[last]));
  return own;
}

namespace detail {

/// The classes that hold a run, the finest first; the number is the level.
inline std::vector<error_row> classes_of(const error_class& of) {
  const bool known = has_timed_steps(of.device);
  error_row all{.of = of.of};
  if (of.of == prediction::collective || of.of == prediction::wait) return {all};
  error_row kind{.of = of.of, .kind = of.kind};
  if (of.of != prediction::step) {
    error_row fine = kind;
    fine.software = of.software;
    return {fine, kind, all};
  }
  kind.launches = of.launches;
  error_row device = kind;
  device.known_device = known;
  error_row software = device;
  software.software = of.software;
  error_row fine = software;
  fine.many_gpus = of.many_gpus;
  error_row any_kind = all;
  any_kind.software = of.software;
  any_kind.launches = of.launches;
  return {fine, software, device, kind, any_kind, all};
}

/// What is new of a run that is judged by this class and by none finer.  Constants of time are
/// fitted by software, so that a class of steps that names no software is for that of another
/// source; of memory none is fitted, and what is trained decides.  Collectives and waits have one
/// class each.
inline unseen_part unseen_of(const error_row& row) {
  switch (row.of) {
    case prediction::collective:
    case prediction::wait: return unseen_part::row;
    case prediction::step: return row.kind && row.software ? unseen_part::row : unseen_part::source;
    default: return row.kind ? unseen_part::row : unseen_part::source;
  }
}

inline bool same_class(const error_row& a, const error_row& b) {
  return a.of == b.of && a.kind == b.kind && a.software == b.software && a.launches == b.launches &&
         a.known_device == b.known_device && a.many_gpus == b.many_gpus;
}

/// The finest class so far that holds a run; `table` has the coarsest first.
inline const error_row& next_coarser(const std::vector<error_row>& table, const error_class& of) {
  const std::vector<error_row> held = classes_of(of);
  const auto found = std::find_if(table.rbegin(), table.rend(), [&](const error_row& row) {
    return std::any_of(held.begin(), held.end(),
                       [&](const error_row& one) { return same_class(one, row); });
  });
  return *found;
}

/// The level of the class that holds all runs of a quantity.
inline constexpr std::size_t coarsest = 100;

struct class_rows {
  std::size_t level = 0;
  error_row of{};
  std::vector<const residual*> rows{};
};

}  // namespace detail

/// The table: classes of enough runs, the finest first, and of each quantity one that covers all.
inline std::vector<error_row> error_rows_of(const std::vector<residual>& residuals) {
  std::vector<detail::class_rows> classes;
  for (const residual& one : residuals) {
    const std::vector<error_row> held = detail::classes_of(one.of);
    for (std::size_t i = 0; i < held.size(); ++i) {
      const std::size_t level = i + 1 == held.size() ? detail::coarsest : i;
      auto found = std::find_if(classes.begin(), classes.end(), [&](const auto& other) {
        return detail::same_class(other.of, held[i]);
      });
      if (found == classes.end()) found = classes.insert(found, {level, held[i], {}});
      found->rows.push_back(&one);
    }
  }
  std::stable_sort(classes.begin(), classes.end(), [](const auto& a, const auto& b) {
    return std::pair{a.of.of, a.level} < std::pair{b.of.of, b.level};
  });
  std::vector<error_row> table;
  for (auto one = classes.rbegin(); one != classes.rend(); ++one) {
    const bool covers_all = one->level == detail::coarsest;
    const bool few = one->rows.size() < least_runs_of_tails;
    std::set<std::string> sources;
    for (const residual* row : one->rows) sources.insert(row->source);
    if (!covers_all &&
        (one->rows.size() < least_runs_of_class || (few && sources.size() < least_sources_of_few)))
      continue;
    error_row line = one->of;
    line.runs = static_cast<int>(one->rows.size());
    line.sources = static_cast<int>(sources.size());
    for (const residual* row : one->rows) line.most_gpus = (std::max)(line.most_gpus, row->of.gpus);
    const unseen_part unseen = detail::unseen_of(line);
    line.quantiles = quantiles_of(one->rows, unseen);
    if (!covers_all)
      line.quantiles = with_tails_of(line.quantiles,
                                     detail::next_coarser(table, one->rows.front()->of).quantiles,
                                     open_tails_of(one->rows, line.quantiles, unseen));
    table.push_back(line);
  }
  std::reverse(table.begin(), table.end());
  return table;
}

}  // namespace gpuplan::accuracy
