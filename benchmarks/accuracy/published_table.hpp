#pragma once
/// \file
/// The error table of published_checks.json: memory that papers and project pages print, against
/// memory_footprint of the same runs.

#include <exception>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/accuracy/error_class.hpp>
#include <gpuplan/units/units.hpp>

#include "accuracy/fields.hpp"
#include "accuracy/measured_table.hpp"
#include "accuracy/published_row.hpp"
#include "accuracy/statistics.hpp"

namespace gpuplan::accuracy {

/// One printed value and its prediction.
struct published_run {
  std::string id;
  std::string family;
  std::string source;
  trained_kind kind{};
  framework software{};
  std::string visibility;  ///< allocator, device, or not said
  bytes measured{};
  bytes predicted{};

  [[nodiscard]] double error() const { return relative_error(predicted / measured, 1); }
};

struct published_runs {
  std::vector<published_run> runs;
  int not_evaluable = 0;  ///< checks of memory whose entry says too little
  std::vector<refusal> unmapped;
};

namespace detail {

/// A printed value.  "GB" is 10^9 B, also where the source does not say so.
inline bytes printed_memory(const nlohmann::json& check) {
  using namespace units;
  const double value = number_of(check, "value");
  const std::string unit = text_of(check, "unit");
  if (unit == "GB_as_printed" || unit == "GB_1e9") return value * GB;
  if (unit == "GiB") return value * GiB;
  if (unit == "MiB") return value * MiB;
  throw unmapped{"unit " + unit + " is unknown"};
}

/// What nvidia-smi shows, or what the framework's allocator does, of one stage.
inline bytes seen(const stage_footprint& stage, const std::string& visibility) {
  return visibility == "device" ? stage.device_total() : stage.allocator_peak();
}

/// Of the stage that the source read: the fuller of the two that hold the embedding where the
/// remark says so, the fullest of all otherwise.
inline bytes predicted_memory(const nlohmann::json& check, const footprint& job) {
  const std::string visibility = text_of(check, "visibility");
  if (text_of(check, "remark").find("embedding rank") != std::string::npos)
    return (std::max)(seen(job.stage(0), visibility),
                      seen(job.stage(job.stages() - 1), visibility));
  bytes most{};
  for (int i = 0; i < job.stages(); ++i) most = (std::max)(most, seen(job.stage(i), visibility));
  return most;
}

}  // namespace detail

/// Checks of memory, each against the entry that it names.
inline published_runs read_published_runs(const nlohmann::json& checks,
                                          const nlohmann::json& entries) {
  std::map<std::string, const nlohmann::json*> entry_of;
  for (const nlohmann::json& entry : entries) entry_of[text_of(entry, "id")] = &entry;

  published_runs all;
  for (const nlohmann::json& check : checks) {
    if (text_of(check, "cls") != "memory") continue;
    if (!flag(field(check, "evaluable"), "memory")) {
      ++all.not_evaluable;
      continue;
    }
    const std::string id = text_of(check, "id");
    try {
      const auto entry = entry_of.find(id);
      if (entry == entry_of.end()) throw unmapped{no_entry + id};
      const job asked = job_of_published(*entry->second);
      all.runs.push_back({.id = id,
                          .family = text_of(check, "family"),
                          .source = text_of(*entry->second, "source"),
                          .kind = trained_kind_of(asked.model, asked.recipe),
                          .software = asked.recipe.framework,
                          .visibility = text_of(check, "visibility", "not said"),
                          .measured = detail::printed_memory(check),
                          .predicted = detail::predicted_memory(check, asked.memory())});
    } catch (const std::exception& fault) {  // unmapped, invalid_input, or no such JSON
      all.unmapped.push_back({id, fault.what()});
    }
  }
  return all;
}

/// A family's errors, of one visibility.
struct published_group {
  std::string visibility;
  std::string family;
  errors memory{};
};

inline std::vector<published_group> by_family(const std::vector<published_run>& runs) {
  std::map<std::pair<std::string, std::string>, errors> found;
  for (const published_run& run : runs) found[{run.visibility, run.family}].add(run.error());
  std::vector<published_group> lines;
  for (const auto& [name, of] : found) lines.push_back({name.first, name.second, of});
  return lines;
}

/// Who sees the memory, as the lines name it.
inline std::set<std::string> visibilities(const std::vector<published_group>& families) {
  std::set<std::string> all;
  for (const published_group& family : families) all.insert(family.visibility);
  return all;
}

/// The medians of families, of one visibility; of all where it is empty.
inline errors family_medians(const std::vector<published_group>& families,
                             const std::string& visibility = {}) {
  errors medians;
  for (const published_group& family : families)
    if (visibility.empty() || family.visibility == visibility) medians.add(family.memory.median());
  return medians;
}

inline constexpr double published_goal = 0.08;  ///< for the median of the medians of families

}  // namespace gpuplan::accuracy
