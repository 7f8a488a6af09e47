#pragma once
/// \file
/// One run whose step was timed, from whatever file.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/plan/layout_fault.hpp>
#include <gpuplan/plan/reject.hpp>
#include <gpuplan/units/units.hpp>

#include "accuracy/job.hpp"

namespace gpuplan::accuracy {

/// Runs of one kind and file, a table each.
enum class speed_section {
  published_dense,
  published_experts,
  runs_dense,    ///< of 2024 to 2026
  runs_experts,  ///< likewise
  steps_a100,
  steps_b200,
  tiny  ///< models of functional tests, as fast as their host
};

struct section_title {
  speed_section value;
  std::string_view key;
  std::string_view title;
};

inline constexpr std::array section_titles{
    section_title{speed_section::published_dense, "published_dense",
                  "dense models, papers and project pages"},
    section_title{speed_section::published_experts, "published_experts",
                  "mixtures of experts, project pages"},
    section_title{speed_section::runs_dense, "runs_dense", "dense models, runs of 2024 to 2026"},
    section_title{speed_section::runs_experts, "runs_experts",
                  "mixtures of experts, runs of 2024 to 2026"},
    section_title{speed_section::steps_a100, "steps_a100", "GPT on 1 to 512 A100"},
    section_title{speed_section::steps_b200, "steps_b200", "cut-down models on 8 B200"},
    section_title{speed_section::tiny, "tiny", "tiny models of functional tests"}};

constexpr const section_title& title_of(speed_section section) {
  return section_titles[static_cast<std::size_t>(section)];
}

/// One run, and what it took.
struct speed_run {
  std::string id;
  speed_section section = speed_section::published_dense;
  std::string family;     ///< a line of the table
  std::string publisher;  ///< whose runs are left out together
  std::string source;
  std::string gpu;  ///< its name
  job asked{};
  cluster pool{};
  seconds measured{};
  std::vector<std::string> sweeps{};  ///< of which it is a point
  std::string twins{};                ///< equal for runs of one configuration; empty: it has none
  bool fitted = true;                 ///< constants may be fitted to it
};

/// Whether operators of a device were measured, of it or of its next relative: constants of steps
/// are fitted to its runs alone.
inline bool is_measured(std::string_view gpu) {
  for (const std::string_view name :
       {"A100", "H100", "H200", "H800", "B200", "B300", "GB200", "GB300"})
    if (gpu.starts_with(name)) return true;
  return false;
}

/// \throws unmapped if the layout breaks a rule, or the device cannot multiply the format
inline void require_askable(const speed_run& one) {
  const reject no =
      layout_fault(one.asked.model, one.pool.gpus(), one.asked.recipe, one.asked.parallelism);
  if (no) throw unmapped{std::string(describe(no.reason))};
  const auto format = formats_of(one.asked.recipe.precision).product;
  if (!(one.pool.gpu().peak[format] > flop_per_second{0}))
    throw unmapped{std::string(describe(reject_reason::format))};
}

}  // namespace gpuplan::accuracy
