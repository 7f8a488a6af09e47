#pragma once
/// \file
/// Finds the columns of a trace in the header of its table.

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/text/delimited_table.hpp>
#include <gpuplan/trace/columns.hpp>

namespace gpuplan::detail {

/// What a column of a trace is for.
enum trace_role : std::size_t {
  submit_role,
  gpus_role,
  requested_role,  ///< GPUs asked for, where none are said to be allotted
  duration_role,
  start_role,
  end_role,
  state_role,
  job_role,
  raw_job_role,  ///< the same, where there is no other
  priority_role,
  filter_role,
  trace_roles
};

/// The names to look for in a header, and where they were found.
struct trace_header {
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);

  std::array<std::string_view, trace_roles> names{};
  std::array<std::size_t, trace_roles> places{};
  std::size_t columns = 0;

  [[nodiscard]] bool has(trace_role role) const { return places[role] != absent; }
};

inline trace_header header_names(const trace_columns& columns, const trace_filter& only,
                                 bool of_slurm, trace_priorities priorities) {
  const auto named = [&](std::string_view chosen, std::string_view slurm, std::string_view plain) {
    return !chosen.empty() ? chosen : of_slurm ? slurm : plain;
  };
  const bool by_end = columns.duration.empty() && !columns.end.empty();
  trace_header header;
  header.names[submit_role] = named(columns.submit, "Submit", "submit_s");
  header.names[gpus_role] = named(columns.gpus, "AllocTRES", "gpus");
  if (columns.gpus.empty() && of_slurm) header.names[requested_role] = "ReqTRES";
  if (!by_end) header.names[duration_role] = named(columns.duration, "Elapsed", "duration_s");
  header.names[start_role] = named(columns.start, "Start", "");
  header.names[end_role] = named(columns.end, "End", "");
  header.names[state_role] = named(columns.state, "State", "");
  header.names[job_role] = named(columns.job, "JobID", "");
  if (columns.job.empty() && of_slurm) header.names[raw_job_role] = "JobIDRaw";
  const bool ranked = priorities != trace_priorities::ignored;
  header.names[priority_role] =
      ranked ? named(columns.priority, "Priority", "priority") : columns.priority;
  header.names[filter_role] = only.column;
  return header;
}

/// Names that are needed and are not there, or a name that is there twice.
struct trace_header_fault {
  std::string name{};
  field_problem problem{};
};

/// Finds the names in the header's row, and goes past it.
inline std::optional<trace_header_fault> find_columns(trace_header& header,
                                                      delimited_table& table) {
  header.places.fill(trace_header::absent);
  std::optional<trace_header_fault> twice;
  const auto broken = table.row([&](std::size_t index, const table_field& field) {
    header.columns = index + 1;
    for (std::size_t role = 0; role < trace_roles; ++role) {
      if (header.names[role].empty() || !(field == header.names[role])) continue;
      if (header.places[role] != trace_header::absent)
        twice = {std::string(header.names[role]), field_problem::repeated_column};
      header.places[role] = index;
    }
  });
  if (broken) return trace_header_fault{"the header", *broken};
  return twice;
}

/// The columns that a trace needs and the header lacks, each once.
inline std::vector<std::string_view> missing_columns(const trace_header& header,
                                                     const trace_columns& chosen,
                                                     trace_priorities priorities) {
  std::vector<std::string_view> missing;
  const auto lacks = [&](trace_role role) {
    return !header.names[role].empty() && !header.has(role);
  };
  const auto need = [&](trace_role role, bool needed = true) {
    const std::string_view name = header.names[role];
    if (needed && lacks(role) && std::find(missing.begin(), missing.end(), name) == missing.end())
      missing.push_back(name);
  };
  need(submit_role);
  need(gpus_role, !header.has(requested_role));
  const bool by_times = header.names[duration_role].empty();
  const bool timed = header.has(start_role) && header.has(end_role) && chosen.duration.empty();
  need(duration_role, !timed);
  need(start_role, !chosen.start.empty() || by_times);
  need(end_role, !chosen.end.empty());
  if (by_times && header.names[start_role].empty()) missing.push_back("start");
  need(filter_role);
  need(priority_role, !chosen.priority.empty() || priorities == trace_priorities::required);
  need(state_role, !chosen.state.empty());
  need(job_role, !header.has(raw_job_role));
  return missing;
}

}  // namespace gpuplan::detail
