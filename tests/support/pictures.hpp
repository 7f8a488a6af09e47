#pragma once
/// \file
/// Pictures as they are kept, for a change to be seen: tests/data/pictures/<name>-<width>.svg.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gpuplan/report/figure.hpp>

#include "support/data.hpp"

namespace gpuplan::testing {

namespace detail {

inline std::string picture_change(const std::string& name, const std::string& markup) {
  const std::filesystem::path file = data_folder() / "pictures" / (name + ".svg");
  if (std::getenv("GPUPLAN_WRITE_PICTURES") != nullptr) {
    std::ofstream{file, std::ios::binary} << markup;
    return {};
  }
  std::istringstream before{read_text(file)};
  std::istringstream now{markup};
  std::string old_line;
  std::string new_line;
  for (int number = 1; std::getline(before, old_line); ++number) {
    std::getline(now, new_line);
    if (!now || old_line != new_line)
      return name + ".svg:" + std::to_string(number) + ": " + old_line + "\nis now: " + new_line;
  }
  return std::getline(now, new_line) ? name + ".svg ended before: " + new_line : std::string{};
}

}  // namespace detail

/// How a chart's pictures differ from those that are kept; nothing where they do not.  With
/// GPUPLAN_WRITE_PICTURES in the environment it keeps these instead: look at them before that.
template <class Chart>
std::string picture_changes(const std::string& name, const Chart& chart) {
  const figure drawn = figure_of(name, chart);
  return detail::picture_change(name + "-narrow", drawn.narrow) +
         detail::picture_change(name + "-wide", drawn.wide);
}

}  // namespace gpuplan::testing
