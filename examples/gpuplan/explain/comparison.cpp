/// \file
/// The differences between two files, and what accounts for them.

#include "explain/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <gpuplan/plan/step_time_terms.hpp>
#include <gpuplan/text/visible.hpp>
#include <gpuplan/units/format.hpp>

#include "summary.hpp"

namespace gpuplan::cli {
namespace {

/// The terms of an answer as the other file tells them apart.
time_terms as_told_by(const side& answer, const side& other) {
  if (other.is_answer()) return answer.step_terms;
  time_terms merged;
  for (const named_term<seconds>& term : answer.step_terms) {
    std::string name = term.name;
    for (const step_term one : step_terms)
      if (gpuplan::name_of(one) == term.name) {
        const auto shown = profiled_as(one);
        name = shown ? gpuplan::name_of(*shown) : "idle";
      }
    merged.push_back({std::move(name), term.value});
  }
  return merged;
}

/// Of totals whose terms are not known on both sides.
template <class Q>
term_difference<Q> whole_difference(Q before, Q after) {
  using terms = std::vector<named_term<Q>>;
  return difference_of(terms{{"all terms", before}}, terms{{"all terms", after}});
}

std::optional<term_difference<seconds>> step_difference(const side& before, const side& after) {
  if (!before.step || !after.step) return std::nullopt;
  if (after.step_terms.empty() || before.step_terms.empty())
    return whole_difference(*before.step, *after.step);
  return difference_of(as_told_by(before, after), after.step_terms);
}

const side_memory& stage_of(const side& one, std::optional<int> stage) {
  const std::size_t place =
      one.is_answer() && stage ? static_cast<std::size_t>(*stage) : one.fullest;
  if (place >= one.stages.size())
    throw bad_usage{fmt::format("--stage: {} has {}, not {}", one.file,
                                counted(static_cast<std::int64_t>(one.stages.size()), "stage"),
                                place + 1)};
  return one.stages[place];
}

/// What functions of torch.optim took is optimizer state; of the rest no function tells the term.
term_difference<bytes> differences_of_trace(const side_memory& before, const memory_peak& peak) {
  const std::string optimizer = "optimizer";
  bytes states{};
  for (const named_term<bytes>& term : before.terms)
    if (term.name == optimizer) states += term.value;
  const bytes of_optimizer = peak.of_part(allocation_part::optimizer);
  if (!(of_optimizer > bytes{0})) return whole_difference(*before.allocated, peak.allocated);
  return difference_of(
      size_terms{{optimizer, states}, {"all other terms", *before.allocated - states}},
      size_terms{{optimizer, of_optimizer}, {"all other terms", peak.allocated - of_optimizer}});
}

std::optional<memory_difference> memory_between(const side& before, const side& after,
                                                std::optional<int> stage) {
  if (before.stages.empty() || after.stages.empty()) return std::nullopt;
  const side_memory& a = stage_of(before, stage);
  const side_memory& b = stage_of(after, stage);
  memory_difference found{.stage_before = a.stage,
                          .stage_after = after.is_answer() ? b.stage : a.stage,
                          .moment_before = a.peak_moment,
                          .moment_after = b.peak_moment};
  struct figure_row {
    std::string_view name, shown;
    std::optional<bytes> side_memory::*of;
    std::optional<said_range<bytes>> side::*expected;
  };
  constexpr std::array rows{
      figure_row{"allocated", "tensors (max_memory_allocated)", &side_memory::allocated,
                 &side::allocated_range},
      figure_row{"reserved", "reserved (max_memory_reserved)", &side_memory::reserved,
                 &side::reserved_range},
      figure_row{"device", "total (nvidia-smi)", &side_memory::device, &side::device_range}};
  const bool has_ranges = !after.is_answer() && a.stage == static_cast<int>(before.fullest);
  for (const figure_row& row : rows) {
    if (!(a.*row.of) || !(b.*row.of)) continue;
    found.figures.push_back({row.name, row.shown, *(a.*row.of), *(b.*row.of)});
    if (has_ranges) found.figures.back().expected = before.*row.expected;
  }
  if (after.is_answer())
    found.terms = difference_of(a.terms, b.terms);
  else if (after.peak && a.allocated)
    found.terms = differences_of_trace(a, *after.peak);
  else if (!found.figures.empty())
    found.terms = whole_difference(found.figures[0].before, found.figures[0].after);
  if (found.figures.empty() && !found.terms) return std::nullopt;
  return found;
}

/// The paths at which two values differ; an object and what is none differ as a whole.
void collect_changes(const nlohmann::json& a, const nlohmann::json& b, const std::string& path,
                     std::vector<input_change>& changes) {
  if (!a.is_object() || !b.is_object()) {
    if (a != b) changes.push_back({path, a, b});
    return;
  }
  std::set<std::string> fields;
  for (const auto& one : {a, b})
    for (const auto& [field, ignored] : one.items()) fields.insert(field);
  const nlohmann::json none;
  for (const std::string& field : fields)
    collect_changes(a.contains(field) ? a.at(field) : none, b.contains(field) ? b.at(field) : none,
                    path.empty() ? field : path + "." + field, changes);
}

/// How a difference is said: "B is 1.31 s slower", "B holds 2.10 GiB more".
struct difference_words {
  std::string_view begin, more, less, same;
};

template <class Q>
std::string summary_line(const term_difference<Q>& found, const difference_words& words) {
  const Q whole = found.difference();
  const auto text = [](Q amount) { return text_of_amount(amount < Q{} ? -amount : amount); };
  if (whole == Q{}) return fmt::format("{}.", words.same);
  std::string line =
      fmt::format("{} {} {}", words.begin, text(whole), whole > Q{} ? words.more : words.less);
  const double part = std::abs(whole / found.before());
  if (std::isfinite(part)) line += fmt::format(" ({})", percent(part));
  const term_change<Q>* cause = found.cause();
  if (cause == nullptr || found.terms.size() < 2) return line + ".";
  const bool is_part = found.share_of(*cause).value_or(1) <= 1;
  const std::string name = title_of(*cause);
  const std::string amount = text(cause->difference());
  return line + (is_part ? fmt::format(": {} of it is {}.", amount, name)
                         : fmt::format(": {} alone accounts for {}.", name, amount));
}

}  // namespace

std::string in_words(std::string_view name) {
  std::string text = visible(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string title_of(const term_change<seconds>& term) {
  return in_words(title_of_step_term(term.name));
}

std::string title_of(const term_change<bytes>& term) {
  return in_words(term.name);
}

std::string text_of_amount(seconds time) {
  return format_duration(time);
}

std::string text_of_amount(bytes size) {
  if (size == bytes{0}) return "0 B";
  const bool small = size < 10 * units::MiB && -size < 10 * units::MiB;
  return small ? fmt::format("{:.2f} MiB", size / units::MiB) : sized(size);
}

comparison compared(side before, side after, std::optional<int> stage) {
  if (!before.is_answer())
    throw bad_usage{before.file + ": is a measurement; give the answer first, as A"};
  comparison found{.before = std::move(before), .after = std::move(after)};
  found.step = step_difference(found.before, found.after);
  found.memory = memory_between(found.before, found.after, stage);
  if (found.after.is_answer())
    collect_changes(found.before.inputs, found.after.inputs, "", found.inputs);
  return found;
}

namespace {

template <class Q>
std::optional<bool> in_range(const std::optional<said_range<Q>>& range,
                             const std::optional<Q>& measured) {
  if (!range || !measured) return std::nullopt;
  return *measured >= range->low && *measured <= range->high;
}

/// "It is within the 2.60 s to 3.10 s in which A expects 90 % of such jobs."
template <class Q>
std::string range_line(std::string_view what, const std::optional<said_range<Q>>& range,
                       const std::optional<Q>& measured) {
  if (!range || !measured) return {};
  const std::string_view where = *measured < range->low    ? "below"
                                 : *measured > range->high ? "above"
                                                           : "within";
  return fmt::format("{} {} the {} to {} in which A expects {:.4g} % of such jobs.", what, where,
                     text_of_amount(range->low), text_of_amount(range->high), 100 * range->level);
}

/// The time of a step, where it was measured.
std::optional<seconds> measured_step(const comparison& found) {
  return found.after.is_answer() ? std::nullopt : found.after.step;
}

/// "Its tensors are within ...": a line for each figure that was measured.
void add_ranges_of_memory(const memory_difference& found, std::vector<std::string>& lines) {
  for (const figure_change& one : found.figures) {
    const std::string_view what = one.name == "allocated"  ? "Its tensors are"
                                  : one.name == "reserved" ? "What it reserves is"
                                                           : "It is";
    std::string line = range_line(what, one.expected, std::optional{one.after});
    if (!line.empty()) lines.push_back(std::move(line));
  }
}

/// Whether two profiles differ in a rate that both have.
bool have_other_rates(const nlohmann::json& a, const nlohmann::json& b) {
  const auto differs = [](const nlohmann::json& one, const nlohmann::json& other) {
    return one.is_object() && other.is_object() &&
           one.value("name", nlohmann::json()) == other.value("name", nlohmann::json()) &&
           one.value("measured", nlohmann::json()) != other.value("measured", nlohmann::json());
  };
  for (const nlohmann::json& one : a)
    for (const nlohmann::json& other : b)
      if (differs(one, other)) return true;
  return false;
}

/// Which profiles the answers were made with, where that is not the same.
std::string profiles_in_words(const comparison& found) {
  const auto with = [](const side& one) {
    return one.measured_by.empty() ? std::string("without a profile")
                                   : "with the profile " + visible(one.measured_by);
  };
  const side& a = found.before;
  const side& b = found.after;
  if (!b.is_answer()) return a.measured_by.empty() ? "" : "A was made " + with(a) + ".";
  if (a.measured_by != b.measured_by) return "A was made " + with(a) + ", B " + with(b) + ".";
  if (have_other_rates(a.measured_rates, b.measured_rates))
    return "A and B were made " + with(a) + ", which had other rates then.";
  return {};
}

}  // namespace

std::optional<bool> figure_change::in_range() const {
  return gpuplan::cli::in_range(expected, std::optional{after});
}

std::optional<bool> step_in_range(const comparison& found) {
  return in_range(found.before.step_range, measured_step(found));
}

std::optional<bool> memory_in_range(const comparison& found, std::string_view figure) {
  if (!found.memory) return std::nullopt;
  for (const figure_change& one : found.memory->figures)
    if (one.name == figure) return one.in_range();
  return std::nullopt;
}

std::vector<std::string> summary_of(const comparison& found) {
  std::vector<std::string> lines;
  const auto refused = [&](std::string_view which, const side& one) {
    if (one.refusal.empty()) return;
    lines.push_back(fmt::format("{} {}: {}.", which,
                                one.step ? "does not fit" : "has no time and memory to compare",
                                in_words(one.refusal)));
  };
  refused("A", found.before);
  refused("B", found.after);
  if (found.step)
    lines.push_back(summary_line(
        *found.step, {"B is", "slower", "faster", "A and B take the same time for a step"}));
  const auto add = [&](std::string line) {
    if (!line.empty()) lines.push_back(std::move(line));
  };
  add(range_line("It is", found.before.step_range, measured_step(found)));
  if (found.after.profile && found.after.profile->unclassified > seconds{0})
    lines.push_back(fmt::format("{} of B is of kernels that could not be classified.",
                                text_of_amount(found.after.profile->unclassified)));
  if (found.memory && found.memory->terms)
    lines.push_back(summary_line(*found.memory->terms,
                                 {"B holds", "more", "less", "A and B hold the same memory"}));
  if (found.memory) add_ranges_of_memory(*found.memory, lines);
  add(profiles_in_words(found));
  return lines;
}

}  // namespace gpuplan::cli
