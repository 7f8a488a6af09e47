#pragma once
/// \file
/// Nodes, processes and GPUs that options of Slurm say: those of srun, and of #SBATCH lines.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <gpuplan/launch/launch_ranks.hpp>
#include <gpuplan/launch/shell_variables.hpp>
#include <gpuplan/text/field_value.hpp>

namespace gpuplan {

/// What options of Slurm say; 0: not said.
struct slurm_options {
  int nodes = 0;
  int tasks = 0;
  int tasks_per_node = 0;
  int gpus = 0;
  int gpus_per_node = 0;
};

namespace detail {

/// An option with a count: its long and its short name, and the variable that Slurm sets for it.
struct slurm_option {
  std::string_view name;
  std::string_view letter;
  std::string_view variable;
  int slurm_options::*count;
};

/// Source: SchedMD, Slurm, "srun" and "sbatch" (25.05, 2025).
inline constexpr auto slurm_option_names = std::to_array<slurm_option>({
    {"--nodes", "-N", "SLURM_NNODES", &slurm_options::nodes},
    {"--nodes", "-N", "SLURM_JOB_NUM_NODES", &slurm_options::nodes},
    {"--ntasks", "-n", "SLURM_NTASKS", &slurm_options::tasks},
    {"--ntasks-per-node", "", "SLURM_NTASKS_PER_NODE", &slurm_options::tasks_per_node},
    {"--gpus", "-G", "SLURM_GPUS", &slurm_options::gpus},
    {"--gpus-per-node", "", "SLURM_GPUS_PER_NODE", &slurm_options::gpus_per_node},
    {"--gpus-per-node", "", "SLURM_GPUS_ON_NODE", &slurm_options::gpus_per_node},
    {"--gres", "", "", &slurm_options::gpus_per_node},
});

/// 8 of 8, h100:8 and gpu:h100:8; 0 of what is no count from 1 to 1e6, as a range of nodes.
inline int slurm_count(std::string_view value) {
  value.remove_prefix(value.rfind(':') + 1);  // npos + 1 is 0
  int count = 0;
  const auto [at, failed] = std::from_chars(value.data(), value.data() + value.size(), count);
  const bool whole = failed == std::errc{} && at == value.data() + value.size();
  return whole && count >= 1 && count <= 1'000'000 ? count : 0;
}

inline std::string_view file_of(std::string_view word) {
  return word.substr(word.rfind('/') + 1);
}

/// Whether a word starts a program whose arguments are its own.
inline bool starts_program(std::string_view word) {
  const std::string_view file = file_of(word);
  for (const char* name : {"bash", "sh", "torchrun", "deepspeed", "accelerate"})
    if (file == name) return true;
  return file.starts_with("python") || file.ends_with(".py");
}

/// Where what srun starts begins among the words of a command; 0 where they have no srun.
inline std::size_t end_of_srun(std::span<const std::string> words) {
  const auto is_first = [](const std::string& word) {
    return file_of(word) == "srun" || starts_program(word);
  };
  const auto srun = std::find_if(words.begin(), words.end(), is_first);
  if (srun == words.end() || file_of(*srun) != "srun") return 0;
  const auto program = std::find_if(srun + 1, words.end(), starts_program);
  return static_cast<std::size_t>((program == words.end() ? srun + 1 : program) - words.begin());
}

}  // namespace detail

/// Reads options: -N 4, -N4, --nodes 4 and --nodes=4.  The last one counts; others are skipped.
inline void read_slurm_options(std::span<const std::string> words, slurm_options& all) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const std::string_view next = i + 1 < words.size() ? words[i + 1] : std::string_view{};
    for (const detail::slurm_option& row : detail::slurm_option_names) {
      const bool attached = word.starts_with(row.name) && word.size() > row.name.size() &&
                            word[row.name.size()] == '=';
      const bool lettered = !row.letter.empty() && word.starts_with(row.letter);
      std::string_view value;
      if (attached) value = word.substr(row.name.size() + 1);
      if (lettered) value = word.substr(row.letter.size());
      if (word == row.name || (lettered && value.empty())) value = next;
      const bool other = row.name == "--gres" && !value.starts_with("gpu");
      if (const int count = detail::slurm_count(value); count > 0 && !other) all.*row.count = count;
    }
  }
}

/// The options of a script's #SBATCH lines.
inline slurm_options slurm_directives(std::string_view text) {
  slurm_options all;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size());
    std::string_view line = trimmed(text.substr(0, size));
    text.remove_prefix(std::min(text.size(), size + 1));
    if (!line.starts_with("#SBATCH")) continue;
    line = line.substr(0, std::min(line.find('#', 1), line.size())).substr(7);
    read_slurm_options(detail::split_at_blanks(line), all);
  }
  return all;
}

/// The variables that Slurm sets for options, and what they hold.
inline std::vector<std::pair<std::string, std::string>> slurm_variables(const slurm_options& said) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const detail::slurm_option& row : detail::slurm_option_names)
    if (!row.variable.empty() && said.*row.count > 0)
      all.emplace_back(row.variable, std::to_string(said.*row.count));
  return all;
}

/// Nodes, and the processes that srun starts on each: as many as tasks are said, else one for each
/// GPU.  Tasks that nodes do not divide, or that no nodes are said for, are taken as on one.
///
/// Source: SchedMD, Slurm, "srun", --ntasks and --ntasks-per-node (25.05, 2025).
inline launch_ranks slurm_ranks(const slurm_options& said) {
  const auto spread = [](int all, int nodes, int each) {
    if (nodes == 0 && each > 0 && all % each == 0) nodes = all / each;
    const bool divides = nodes > 0 && all % nodes == 0;
    return divides ? launch_ranks{nodes, all / nodes} : launch_ranks{1, all};
  };
  const int nodes = std::max(1, said.nodes);
  if (said.tasks > 0) return spread(said.tasks, said.nodes, said.tasks_per_node);
  if (said.tasks_per_node > 0) return {nodes, said.tasks_per_node};
  if (said.gpus_per_node > 0) return {nodes, said.gpus_per_node};
  return said.gpus > 0 ? spread(said.gpus, said.nodes, 0) : launch_ranks{};
}

}  // namespace gpuplan
