/// \file
/// The best layouts as a table.

#include "plan/layout_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/units/format.hpp>

#include "bands.hpp"
#include "fitted_table.hpp"
#include "parallel_axes.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

/// A choice that plans may differ in: a column, or a word of the line above where all are equal.
struct layout_choice {
  column head;
  std::vector<std::string> cells;  ///< of each kind
  std::string in_words;            ///< of the first
};

std::string micro_batches(const plan& one) {
  const auto at_once =
      std::int64_t{one.parallelism().data} * std::int64_t{one.parallelism().micro_batch_size};
  return fmt::format("{} x {}", one.parallelism().micro_batch_size,
                     one.recipe().global_batch_size / at_once);
}

/// Axes that mean something: the virtual pipeline where there is a pipeline, experts where the
/// model has them.
std::vector<parallel_axis> axes_of(const offer& shown, const std::vector<plan_kind>& kinds) {
  const bool piped = std::any_of(kinds.begin(), kinds.end(), [](const plan_kind& one) {
    return one.best.parallelism().pipeline > 1;
  });
  std::vector<parallel_axis> axes;
  for (const parallel_axis& axis : parallel_axes) {
    if (axis.ranks == &parallelism::interleave && !piped) continue;
    if (axis.ranks == &parallelism::expert && shown.asked.asked.model.moe.experts == 0) continue;
    axes.push_back(axis);
  }
  return axes;
}

std::vector<layout_choice> choices_of(const std::vector<parallel_axis>& axes,
                                      const std::vector<plan_kind>& kinds) {
  std::vector<layout_choice> all;
  const auto add = [&](std::string_view title, column_side side, auto&& cell_of, auto&& in_words) {
    layout_choice one{{std::string(title), side}, {}, {}};
    for (const plan_kind& kind : kinds) one.cells.push_back(cell_of(kind.best));
    one.in_words = in_words(one.cells.front());
    all.push_back(std::move(one));
  };
  const auto after = [](std::string_view title) {
    return [title](const std::string& cell) { return fmt::format("{} {}", title, cell); };
  };
  const auto before = [](std::string_view what) {
    return [what](const std::string& cell) {
      return fmt::format("{} {}", cell == "none" ? "no" : cell, what);
    };
  };
  for (const parallel_axis& axis : axes)
    add(
        axis.title, column_side::right,
        [&](const plan& p) { return std::to_string(p.parallelism().*axis.ranks); },
        after(axis.title));
  if (std::any_of(kinds.begin(), kinds.end(),
                  [](const plan_kind& one) { return one.best.recipe().split.stages() > 0; }))
    add(
        "Stages", column_side::left, [](const plan& p) { return stages_in_words(p); },
        [](const std::string& cell) { return cell; });
  add("Micro-batch", column_side::right, micro_batches, after("micro-batch"));
  add(
      "ZeRO", column_side::right,
      [](const plan& p) { return std::to_string(static_cast<int>(p.recipe().zero)); },
      after("ZeRO"));
  add(
      "Recompute", column_side::left,
      [](const plan& p) { return std::string(spelled(recompute_names, p.recipe().recompute)); },
      before("recompute"));
  if (std::any_of(axes.begin(), axes.end(),
                  [](const auto& one) { return one.ranks == &parallelism::interleave; }))
    add(
        "Schedule", column_side::left,
        [](const plan& p) { return std::string(spelled(schedule_names, p.recipe().schedule)); },
        before("schedule"));
  add(
      "GPUs", column_side::right, [](const plan& p) { return std::to_string(p.what.gpus); },
      before("GPUs"));
  return all;
}

bool equal_in_all(const layout_choice& one) {
  return std::adjacent_find(one.cells.begin(), one.cells.end(), std::not_equal_to<>{}) ==
         one.cells.end();
}

/// The variants of a kind whose step is about as long, the first by name: "CP 4 +0.2 %".
std::string variants_in_words(const plan_kind& kind) {
  constexpr std::size_t most = 2;
  constexpr double near = 0.02;
  std::string words;
  std::size_t count = 0;
  double fastest = near;
  double slowest = -near;
  for (const plan& other : kind.others) {
    const double slower = other.what.time.total() / kind.best.what.time.total() - 1;
    if (std::abs(slower) > near) continue;
    if (++count <= most) {
      words += fmt::format("{}{} {:+.1f} %", words.empty() ? "" : "; ",
                           difference_in_words(kind.best, other), 100 * slower);
      continue;
    }
    fastest = std::min(fastest, slower);
    slowest = std::max(slowest, slower);
  }
  if (count <= most) return words;
  const std::string from = fmt::format("{:+.1f}", 100 * fastest);
  const std::string to = fmt::format("{:+.1f}", 100 * slowest);
  return words + (from == to ? fmt::format("; {} more, {} %", count - most, to)
                             : fmt::format("; {} more, {} to {} %", count - most, from, to));
}

std::string chance_of_fitting(const plan& one, const offer& shown) {
  return chance_of_plan(bands_of(one.what, shown.asked.asked).fits_probability);
}

/// "DP data, TP tensor, PP pipeline parallelism".
std::string legend_of(const std::vector<parallel_axis>& axes) {
  std::string words;
  for (const parallel_axis& axis : axes)
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", axis.title, axis.name);
  return words + " parallelism; micro-batch: sequences x passes.";
}

}  // namespace

std::string layout_table(const offer& shown, std::size_t width, text_style style) {
  const std::vector<plan_kind> kinds =
      kinds_of(shown.study.found.plans, static_cast<std::size_t>(shown.asked.families));
  const std::vector<parallel_axis> axes = axes_of(shown, kinds);
  std::vector<layout_choice> choices = choices_of(axes, kinds);
  layout_choice bound{{"Bound by"}, {}, {}};
  for (const plan_kind& kind : kinds)
    bound.cells.emplace_back(title_of(kind.best.what.time.binding()));
  bound.in_words = "bound by " + bound.cells.front();

  std::string equal;
  const auto take_equal = [&](const layout_choice& one) {
    if (kinds.size() < 2 || !equal_in_all(one)) return false;
    equal += (equal.empty() ? "All: " : ", ") + one.in_words;
    return true;
  };
  std::erase_if(choices, take_equal);
  const bool one_bound = take_equal(bound);

  std::vector<column> heads{{"", column_side::right}};
  for (const layout_choice& one : choices) heads.push_back(one.head);
  for (const char* head : {"Step", "MFU", "Memory", "Fits"})
    heads.push_back({head, column_side::right});
  if (!one_bound) heads.push_back(bound.head);
  heads.push_back({"Variants within 2 %"});
  fitted_table rows{heads, last_column::beside_or_below};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const estimate& what = kinds[i].best.what;
    std::vector<std::string> cells{std::to_string(i + 1)};
    for (const layout_choice& one : choices) cells.push_back(one.cells[i]);
    cells.push_back(format_duration(what.time.total()));
    cells.push_back(percent(what.model_flop_utilization()));
    cells.push_back(
        fmt::format("{:.0f} %", 100 * (what.needed / shown.asked.asked.pool.gpu().memory)));
    cells.push_back(chance_of_fitting(kinds[i].best, shown));
    if (!one_bound) cells.push_back(bound.cells[i]);
    cells.push_back(variants_in_words(kinds[i]));
    rows.row(std::move(cells));
  }
  if (!equal.empty()) equal = wrapped(equal + ".", width) + "\n\n";
  constexpr std::array<std::string_view, 5> spare{"Schedule", "Bound by", "Recompute", "GPUs",
                                                  "MFU"};
  return equal + rows.text(spare, width, style) + wrapped(legend_of(axes), width) + "\n";
}

}  // namespace gpuplan::cli
