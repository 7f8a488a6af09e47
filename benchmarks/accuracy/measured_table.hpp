#pragma once
/// \file
/// The error table of measured_memory.json: what the allocator of real runs held between steps
/// (states) and at most (peak), against memory_footprint of the same jobs.

#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/accuracy/error_class.hpp>

#include "accuracy/fields.hpp"
#include "accuracy/megatron_row.hpp"
#include "accuracy/statistics.hpp"

namespace gpuplan::accuracy {

/// One run: what was measured and what was predicted, of the stage that was read.
struct measured_run {
  std::string id;
  std::string family;
  std::string container;
  std::string gpu;
  std::string configuration;  ///< equal for runs of equal arguments
  int world_size{};
  int hidden_size{};
  trained_kind kind{};
  bool dense{};  ///< neither experts nor an encoder beside a decoder
  stage_footprint predicted{};
  bytes states{};  ///< measured: torch.cuda.memory_allocated after a step
  bytes peak{};    ///< measured: torch.cuda.max_memory_allocated

  [[nodiscard]] double states_error() const {
    return relative_error(predicted.resident() / states, 1);
  }
  [[nodiscard]] double peak_error() const {
    return relative_error(predicted.allocator_peak() / peak, 1);
  }
};

/// A row that was not scored, and why.
struct refusal {
  std::string id;
  std::string reason;
};

/// The rows of a file, each in one of three places.
struct measured_runs {
  std::vector<measured_run> runs;
  std::map<std::string, int> excluded;  ///< reason that the file gives, rows
  std::vector<refusal> unmapped;        ///< rows that the descriptions cannot say
};

inline measured_runs read_measured_runs(const nlohmann::json& file) {
  measured_runs all;
  for (const nlohmann::json& row : file.at("cases")) {
    const nlohmann::json& said = field(row, "resolved");
    if (has(said, "exclude")) {
      ++all.excluded[text_of(said, "exclude")];
      continue;
    }
    const std::string id = text_of(row, "id");
    try {
      const job asked = job_of_megatron(row);
      all.runs.push_back({.id = id,
                          .family = text_of(row, "family"),
                          .container = text_of(row, "container"),
                          .gpu = text_of(row, "gpu"),
                          .configuration = text_of(row, "arg_set", id),
                          .world_size = whole(row, "world_size").value_or(0),
                          .hidden_size = asked.model.hidden_size,
                          .kind = trained_kind_of(asked.model, asked.recipe),
                          .dense = asked.model.moe_layers() == 0 && asked.model.encoder_layers == 0,
                          .predicted = asked.memory().stage(stage_of_megatron(row)),
                          .states = bytes{number_of(row, "mem_allocated_bytes_last")},
                          .peak = bytes{number_of(row, "mem_max_allocated_bytes_max")}});
    } catch (const std::exception& fault) {  // unmapped, invalid_input, or no such JSON
      all.unmapped.push_back({id, fault.what()});
    }
  }
  return all;
}

/// Bounds that a group is meant to keep; an absent one is not asked for.
struct goal {
  std::optional<double> states_median{};
  std::optional<double> peak_median{};
  std::optional<double> peak_p90{};
  std::optional<double> each{};  ///< of every configuration, states and peak
};

inline constexpr int wide = 3072;  ///< from this hidden size on, configurations are shown singly

inline constexpr goal dense_goal{.states_median = 0.03, .peak_median = 0.03, .peak_p90 = 0.12};
inline constexpr goal sparse_goal{.peak_median = 0.08, .peak_p90 = 0.20};
inline constexpr goal wide_goal{.each = 0.06};

/// One line of the table.
struct group {
  std::vector<std::string> name;
  errors states{};  ///< one for each configuration: the median of its runs
  errors peak{};
  bool dense = true;
  goal asked{};

  [[nodiscard]] bool met() const {
    const auto within = [](const std::optional<double>& bound, double reached) {
      return !bound || reached <= *bound;
    };
    return within(asked.states_median, states.median()) &&
           within(asked.peak_median, peak.median()) && within(asked.peak_p90, peak.p90()) &&
           within(asked.each, states.worst()) && within(asked.each, peak.worst());
  }
};

/// Runs of equal name in one line, each configuration counted once; in the order of names.
inline std::vector<group> grouped(
    const std::vector<measured_run>& runs,
    const std::function<std::vector<std::string>(const measured_run&)>& name_of) {
  struct pair_of_errors {
    errors states, peak;
  };
  std::map<std::vector<std::string>, std::map<std::string, pair_of_errors>> found;
  std::map<std::vector<std::string>, bool> dense;
  for (const measured_run& run : runs) {
    const std::vector<std::string> name = name_of(run);
    pair_of_errors& of = found[name][run.configuration];
    of.states.add(run.states_error());
    of.peak.add(run.peak_error());
    dense.try_emplace(name, true).first->second &= run.dense;
  }

  std::vector<group> lines;
  for (const auto& [name, configurations] : found) {
    group line{.name = name, .dense = dense.at(name)};
    for (const auto& [configuration, of] : configurations) {
      line.states.add(of.states.median());
      line.peak.add(of.peak.median());
    }
    lines.push_back(line);
  }
  return lines;
}

inline std::string size_class(int hidden_size) {
  if (hidden_size < 1024) return "h < 1024";
  return hidden_size < wide ? "h 1024 to 3071" : "h >= 3072";
}

/// Lines by family, GPU and world size.
inline std::vector<group> by_platform(const std::vector<measured_run>& runs) {
  return grouped(runs, [](const measured_run& run) {
    return std::vector{run.family, run.gpu, std::to_string(run.world_size), run.container};
  });
}

/// Lines by family, container and size class: those that have goals.
inline std::vector<group> by_class(const std::vector<measured_run>& runs) {
  std::vector<group> lines = grouped(runs, [](const measured_run& run) {
    return std::vector{run.family, run.container, size_class(run.hidden_size)};
  });
  for (group& line : lines) line.asked = line.dense ? dense_goal : sparse_goal;
  return lines;
}

/// A line for each wide configuration and GPU.
inline std::vector<group> wide_singly(const std::vector<measured_run>& runs) {
  std::vector<measured_run> large;
  for (const measured_run& run : runs)
    if (run.hidden_size >= wide) large.push_back(run);
  std::vector<group> lines =
      grouped(large, [](const measured_run& run) { return std::vector{run.id}; });
  for (group& line : lines) line.asked = wide_goal;
  return lines;
}

}  // namespace gpuplan::accuracy
