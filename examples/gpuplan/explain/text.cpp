/// \file
/// What explain finds, for people.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/plan/step_time_terms.hpp>
#include <gpuplan/report/table.hpp>
#include <gpuplan/text/json_shown.hpp>
#include <gpuplan/text/visible.hpp>

#include "explain/comparison.hpp"
#include "program.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

constexpr std::size_t most_rows = 12;  // of kernels and functions

template <class Q>
std::string signed_text(Q amount) {
  return (amount > Q{} ? "+" : "") + text_of_amount(amount);
}

/// Terms that differ, the small ones together.
template <class Q>
table table_of(const term_difference<Q>& found, const std::string& title) {
  table rows{{{title},
              {"A", column_side::right},
              {"B", column_side::right},
              {"Difference", column_side::right},
              {"Share", column_side::right}}};
  const auto add = [&](const std::string& name, const term_change<Q>& term) {
    const auto share = found.share_of(term);
    rows.row({name, text_of_amount(term.before), text_of_amount(term.after),
              signed_text(term.difference()), share ? percent(*share) : ""});
  };
  constexpr double small = 0.005;  // as a part of the largest difference
  term_change<Q> rest;
  int left_out = 0;
  for (const term_change<Q>& term : found.terms) {
    const Q limit = small * found.terms.front().difference();
    const Q part = term.difference();
    if (part == Q{} || found.terms.size() == 1) continue;
    const bool is_small = part * part < limit * limit;
    if (!is_small) {
      add(title_of(term), term);
      continue;
    }
    ++left_out;
    rest.before += term.before;
    rest.after += term.after;
  }
  if (left_out > 0) add(fmt::format("{} more", left_out), rest);
  if (found.terms.size() > 1) rows.line();
  add("total", {.name = {}, .before = found.before(), .after = found.after()});
  return rows;
}

void print_memory(const memory_difference& found, text_style style) {
  const auto stage = [](int place, const std::string& moment) {
    return fmt::format("stage {}{}", place + 1,
                       moment.empty() ? "" : ", fullest at " + in_words(moment));
  };
  const std::string a = stage(found.stage_before, found.moment_before);
  const std::string b =
      found.moment_after.empty() ? "" : stage(found.stage_after, found.moment_after);
  if (found.terms && found.terms->difference() != bytes{0})
    print("\n" + table_of(*found.terms, "Memory of a GPU").text_within(width_of_output(), style));
  print_lines(b.empty() || a == b ? fmt::format("\n{}\n", b.empty() ? "A: " + a : "A and B: " + a)
                                  : fmt::format("\nA: {}; B: {}\n", a, b));
  table rows{{{"As programs show it"},
              {"A", column_side::right},
              {"B", column_side::right},
              {"Difference", column_side::right}}};
  for (const figure_change& one : found.figures)
    rows.row({std::string(one.shown), sized(one.before), sized(one.after),
              signed_text(one.after - one.before)});
  if (!rows.empty()) print("\n" + rows.text_within(width_of_output(), style));
}

void print_inputs(const comparison& found, text_style style) {
  if (!found.after.is_answer()) return;
  if (found.inputs.empty()) return print("\nThe inputs of A and B are the same.\n");
  table rows{{{"Inputs that differ"}, {"A"}, {"B"}}};
  const auto text = [](const nlohmann::json& value) {
    return value.is_string() ? visible(value.get_ref<const std::string&>().substr(0, 48))
                             : shown(value);
  };
  for (const input_change& one : found.inputs)
    rows.row({visible(one.path), text(one.before), text(one.after)});
  print("\n" + rows.text_within(width_of_output(), style));
}

void print_profile(const profiled_step& step, text_style style) {
  print_lines(fmt::format("\nThe profile has {} of device {}, {} in it.\n",
                          counted(step.steps, "whole step"), step.device,
                          counted(step.kernels, "kernel")));
  if (step.kernels_elsewhere > 0)
    print(fmt::format("{} of other devices are left out.\n",
                      counted(step.kernels_elsewhere, "kernel")));
  print_lines(
      "A profile does not tell recompute, embedding and LM head from other GEMMs: these are "
      "together.  Idle is what kernel launch, pipeline bubble and stragglers predict.\n");
  table rows{{{"Hidden behind other work"},
              {"Busy", column_side::right},
              {"Shown", column_side::right},
              {"Hidden", column_side::right}}};
  for (const step_term term : step_terms) {
    const seconds busy = step.busy[static_cast<std::size_t>(term)];
    const seconds hidden = busy - step[term];
    if (hidden > 0.01 * busy)
      rows.row({std::string(gpuplan::title_of(term)), text_of_amount(busy),
                text_of_amount(step[term]), percent(hidden / busy)});
  }
  if (!rows.empty()) print("\n" + rows.text_within(width_of_output(), style));
  if (step.unclassified_kernels.empty()) return;
  table unknown{{{"Unclassified, the longest first"}, {"Time of a step", column_side::right}}};
  for (const unclassified_kernel& one : step.unclassified_kernels) {
    constexpr std::size_t longest = 60;
    if (unknown.rows() == most_rows) break;
    unknown.row({visible(one.name.substr(0, longest)), text_of_amount(one.time)});
  }
  print("\n" + unknown.text_within(width_of_output(), style));
  if (const std::size_t all = step.unclassified_kernels.size(); all > most_rows)
    print(fmt::format("and {} more; --json has them.\n",
                      counted(static_cast<std::int64_t>(all - most_rows), "kernel")));
}

void print_peak(const memory_peak& peak, text_style style) {
  print_lines(
      peak.events > 0
          ? fmt::format("\nThe trace has {}; at its peak {} were reserved.\n",
                        counted(peak.events, "event"), sized(peak.reserved_at_peak))
          : "\nThere is no trace: B is the memory when the snapshot was made, not the peak.\n");
  table rows{{{"Live then, by the function that took it"},
              {"Part of a step"},
              {"Size", column_side::right},
              {"Share", column_side::right}}};
  bytes rest{};
  std::int64_t left_out = 0;
  for (const allocation_share& one : peak.shares) {
    if (rows.rows() < most_rows) {
      const bool known = one.part != allocation_part::unknown;
      rows.row({visible(one.frame), known ? std::string(gpuplan::name_of(one.part)) : "",
                text_of_amount(one.size), percent(one.size / peak.allocated)});
      continue;
    }
    rest += one.size;
    ++left_out;
  }
  if (left_out > 0)
    rows.row({fmt::format("{} more", left_out), "", text_of_amount(rest),
              percent(rest / peak.allocated)});
  if (!rows.empty()) print("\n" + rows.text_within(width_of_output(), style));
}

}  // namespace

void print_for_people(const comparison& found) {
  const text_style style = style_of_output();
  for (const std::string& line : summary_of(found))
    print(bold(wrapped(line, width_of_output()), style) + "\n");
  if (found.step && found.step->difference() != seconds{0})
    print("\n" + table_of(*found.step, "Time of a step").text_within(width_of_output(), style));
  if (found.memory) print_memory(*found.memory, style);
  print_inputs(found, style);
  if (found.after.profile) print_profile(*found.after.profile, style);
  if (found.after.peak) print_peak(*found.after.peak, style);
}

}  // namespace gpuplan::cli
