#pragma once
/// \file
/// Nodes, processes and GPUs that options of Slurm say: those of srun, and of sbatch in a script.

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

#include <gpuplan/launch/shell_variables.hpp>
#include <gpuplan/launch/shell_word_kinds.hpp>
#include <gpuplan/model/field.hpp>
#include <gpuplan/text/field_value.hpp>

namespace gpuplan {

/// A count that an option of Slurm gives.
struct slurm_count {
  int number = 0;        ///< 0: not given, or it cannot be read
  std::string unread{};  ///< what is given, where that cannot be read: $NODES, 2-4

  [[nodiscard]] bool given() const { return number > 0 || !unread.empty(); }
};

/// What options of Slurm say.
struct slurm_options {
  slurm_count nodes{};
  slurm_count tasks{};
  slurm_count tasks_per_node{};
  slurm_count gpus{};
  slurm_count gpus_per_node{};
};

namespace detail {

/// An option with a count: its long and its short name, and the variable that Slurm sets for it.
struct slurm_option {
  std::string_view name;
  std::string_view letter;
  std::string_view variable;
  slurm_count slurm_options::*count;
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

/// 8 of 8, h100:8 and gpu:h100:8; 0 of what is no count, as a range of nodes.
inline int slurm_number(std::string_view value) {
  value.remove_prefix(value.rfind(':') + 1);  // npos + 1 is 0
  int count = 0;
  const auto [at, failed] = std::from_chars(value.data(), value.data() + value.size(), count);
  const bool whole = failed == std::errc{} && at == value.data() + value.size();
  return whole && count >= 1 && count <= largest_count ? count : 0;
}

/// The part of a text before the first `sign`, which is taken off with it.
inline std::string_view take_until(std::string_view& text, char sign) {
  const std::string_view part = text.substr(0, text.find(sign));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

/// The GPUs among the resources of --gres: 8 of gpu:8,nvme:2 and gpu:h100:8(S:0-1).  A resource
/// without a count is one.  Not given where none is a GPU.
///
/// Source: SchedMD, Slurm, "srun", --gres (25.05, 2025).
inline slurm_count gpus_of_gres(std::string_view list) {
  if (list.starts_with('$')) return {0, std::string(list)};
  std::int64_t all = 0;
  while (!list.empty()) {
    std::string_view part = take_until(list, ',');
    part = take_until(part, '(');
    if (part != "gpu" && !part.starts_with("gpu:")) continue;
    const int count = slurm_number(part);
    const char first = part[std::min(part.size() - 1, part.rfind(':') + 1)];
    const bool is_type = first != '$' && !(first >= '0' && first <= '9');
    all += count > 0 ? count : 1;
    if ((count == 0 && !is_type) || all > largest_count) return {0, std::string(part)};
  }
  return {static_cast<int>(all), {}};
}

/// What a value of an option gives.
inline slurm_count slurm_count_of(const slurm_option& row, std::string_view value) {
  if (row.name == "--gres") return gpus_of_gres(value);
  const bool lists = value.find(',') != value.npos;  // counts of several types
  const int count = lists ? 0 : slurm_number(value);
  return count > 0 ? slurm_count{count, {}} : slurm_count{0, std::string(value)};
}

/// Options of srun that take no value, or take it behind = alone; those of Pyxis among them.
///
/// Source: SchedMD, Slurm, "srun" (25.05, 2025); NVIDIA, Pyxis, README.md (0.20, 2024).
inline constexpr auto srun_switches = std::to_array<std::string_view>({"--bcast",
                                                                       "--compress",
                                                                       "--contiguous",
                                                                       "--container-entrypoint",
                                                                       "--container-mount-home",
                                                                       "--container-readonly",
                                                                       "--container-remap-root",
                                                                       "--container-writable",
                                                                       "--disable-status",
                                                                       "--exact",
                                                                       "--exclusive",
                                                                       "--external-launcher",
                                                                       "--hold",
                                                                       "--immediate",
                                                                       "--interactive",
                                                                       "--kill-on-bad-exit",
                                                                       "--label",
                                                                       "--multi-prog",
                                                                       "--nice",
                                                                       "--no-allocate",
                                                                       "--no-container-entrypoint",
                                                                       "--no-container-mount-home",
                                                                       "--no-container-remap-root",
                                                                       "--no-kill",
                                                                       "--overcommit",
                                                                       "--overlap",
                                                                       "--oversubscribe",
                                                                       "--preserve-env",
                                                                       "--propagate",
                                                                       "--pty",
                                                                       "--quiet",
                                                                       "--quit-on-interrupt",
                                                                       "--reboot",
                                                                       "--resv-ports",
                                                                       "--send-libs",
                                                                       "--spread-job",
                                                                       "--test-only",
                                                                       "--unbuffered",
                                                                       "--use-min-nodes",
                                                                       "--verbose",
                                                                       "--whole",
                                                                       "--x11"});

/// Whether the word behind an option of srun is its value.
inline bool takes_next_word(std::string_view option) {
  constexpr std::string_view switches = "EHIKOQRVXZhklsuv";
  if (option.starts_with("--"))
    return option.find('=') == option.npos &&
           std::find(srun_switches.begin(), srun_switches.end(), option) == srun_switches.end();
  return option.size() == 2 && switches.find(option[1]) == switches.npos;
}

/// Where what srun starts begins among the words of a command; 0 where they have no srun.  A
/// variable that is not known may hold more of its options.
inline std::size_t end_of_srun(std::span<const std::string> words) {
  std::size_t at = 0;
  while (at < words.size() && file_of(words[at]) != "srun" && !starts_program(words[at])) ++at;
  if (at == words.size() || file_of(words[at]) != "srun") return 0;
  for (++at; at < words.size(); ++at) {
    const std::string_view word = words[at];
    const std::string_view next = at + 1 < words.size() ? words[at + 1] : std::string_view{};
    const bool may_be_options = word.starts_with('$') && next.starts_with('-') && next != "-m";
    if (word == "--") return at + 1;
    if (!word.starts_with('-') && !may_be_options) break;
    const bool is_name = word == "-J" || word == "--job-name";  // even that of a program
    const bool has_value = word.starts_with('-') && takes_next_word(word) &&
                           !next.starts_with("--") && (is_name || !starts_program(next));
    if (has_value) ++at;
  }
  return std::min(at, words.size());
}

}  // namespace detail

/// Reads options: -N 4, -N4, --nodes 4 and --nodes=4.  The last one counts, whether it can be read
/// or not; others are skipped.
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
      if (value.empty()) continue;
      if (slurm_count count = detail::slurm_count_of(row, value); count.given())
        all.*row.count = std::move(count);
    }
  }
}

/// The options of sbatch that a script gives itself: in comments that begin with SBATCH, before its
/// first command.
///
/// Source: SchedMD, Slurm, "sbatch" (25.05, 2025).
inline slurm_options slurm_directives(std::string_view text) {
  constexpr std::string_view begin = "#SBATCH";
  slurm_options all;
  while (!text.empty()) {
    std::string_view line = detail::take_until(text, '\n');
    const std::string_view words = trimmed(line);
    if (!words.empty() && !words.starts_with('#')) break;
    if (!line.starts_with(begin)) continue;
    line = line.substr(0, line.find('#', 1)).substr(begin.size());
    read_slurm_options(detail::split_at_blanks(line), all);
  }
  return all;
}

/// The variables that Slurm sets for options, and what they hold.
inline std::vector<std::pair<std::string, std::string>> slurm_variables(const slurm_options& said) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const detail::slurm_option& row : detail::slurm_option_names)
    if (const int count = (said.*row.count).number; !row.variable.empty() && count > 0)
      all.emplace_back(row.variable, std::to_string(count));
  return all;
}

/// Nodes, and the processes that srun starts on each.
struct slurm_processes {
  slurm_count nodes{};
  slurm_count per_node{};

  [[nodiscard]] bool said() const { return per_node.given(); }
};

/// The processes that srun starts: as many as tasks are said, else one for each GPU.  Tasks that
/// nodes do not divide, or that no nodes are said for, are taken as on one.  A count that they
/// need and that cannot be read stays so.
///
/// Source: SchedMD, Slurm, "srun", --ntasks and --ntasks-per-node (25.05, 2025).
inline slurm_processes slurm_processes_of(const slurm_options& said) {
  const auto spread = [](const slurm_count& all, int nodes, int each) -> slurm_processes {
    if (nodes == 0 && each > 0 && all.number % each == 0) nodes = all.number / each;
    const bool divides = nodes > 0 && all.number > 0 && all.number % nodes == 0;
    if (divides) return {{nodes, {}}, {all.number / nodes, {}}};
    return {{1, {}}, all};
  };
  const slurm_count nodes = said.nodes.given() ? said.nodes : slurm_count{1, {}};
  if (said.tasks.given()) return spread(said.tasks, said.nodes.number, said.tasks_per_node.number);
  if (said.tasks_per_node.given()) return {nodes, said.tasks_per_node};
  if (said.gpus_per_node.given()) return {nodes, said.gpus_per_node};
  return said.gpus.given() ? spread(said.gpus, said.nodes.number, 0) : slurm_processes{};
}

}  // namespace gpuplan
