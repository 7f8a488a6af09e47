#pragma once
/// \file
/// What explain finds: two files, their terms side by side, and the inputs that differ.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/report/html.hpp>
#include <gpuplan/report/term_difference.hpp>
#include <gpuplan/units/units.hpp>

#include "explain/side.hpp"
#include "program.hpp"

namespace gpuplan::cli {

/// An input of two answers, by its path: "recipe.zero"; null where one of them has none.
struct input_change {
  std::string path;
  nlohmann::json before;
  nlohmann::json after;
};

/// A figure of memory that programs show: allocated, reserved, device.
struct figure_change {
  std::string_view name;   ///< "reserved"
  std::string_view shown;  ///< "reserved (max_memory_reserved)"
  bytes before{};
  bytes after{};
  std::optional<said_range<bytes>> expected{};  ///< of a measurement, where the answer gives one

  /// Whether what was measured lies in the range; none where there is no range.
  [[nodiscard]] std::optional<bool> in_range() const;
};

/// The memory of a stage of each.
struct memory_difference {
  int stage_before = 0;
  int stage_after = 0;
  std::string moment_before;  ///< of the peak; empty: not said
  std::string moment_after;
  std::vector<figure_change> figures{};
  std::optional<term_difference<bytes>>
      terms{};  ///< of `device` of two answers, else of `allocated`, or of the first figure that B has
};

struct comparison {
  side before;
  side after;
  std::optional<term_difference<seconds>> step{};  ///< none where one of them has no time
  std::optional<memory_difference> memory{};
  std::vector<input_change> inputs{};  ///< of two answers
};

/// Compares two files; `stage` counts from 0, and is the fullest of each where it is not given.
/// \throws bad_usage if the first is no answer, one has no such stage, or there is nothing to
///         compare
comparison compared(side before, side after, std::optional<int> stage);

/// Whether the step that was measured lies in the range that the answer gives; none where it gives
/// none, or nothing was measured.
std::optional<bool> step_in_range(const comparison& found);
/// The same of a figure of memory: "allocated", "reserved", "device".
std::optional<bool> memory_in_range(const comparison& found, std::string_view figure);

/// Lines that say by how much B differs and what accounts for the most of it.
std::vector<std::string> summary_of(const comparison& found);

/// "master_weights" as "master weights".
std::string in_words(std::string_view name);
/// What a term is called: of a step, of memory.
std::string title_of(const term_change<seconds>& term);
std::string title_of(const term_change<bytes>& term);
/// "1.31 s", "2.10 GiB", "-3.00 MiB".
std::string text_of_amount(seconds time);
std::string text_of_amount(bytes size);

report_json answer_of(const comparison& found);
void print_for_people(const comparison& found);
html_page page_of(const comparison& found);

}  // namespace gpuplan::cli
