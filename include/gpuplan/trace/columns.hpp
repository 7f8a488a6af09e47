#pragma once
/// \file
/// The columns of a table of jobs that a trace reads.

#include <array>
#include <cstddef>
#include <string_view>

#include <gpuplan/text/field_value.hpp>

namespace gpuplan {

/// Names of columns. An empty one is the usual name: submit_s, gpus, duration_s and priority; in a
/// table whose header has |, the names that Slurm's sacct prints. job_trace.hpp says which must be
/// there.
struct trace_columns {
  std::string_view submit{};    ///< when a job came
  std::string_view gpus{};      ///< GPUs it held
  std::string_view duration{};  ///< how long it ran; without it, from start to end
  std::string_view start{};     ///< when it began to run
  std::string_view end{};       ///< when it stopped
  std::string_view state{};     ///< RUNNING and PENDING are told from all others
  std::string_view job{};       ///< its identifier; 12.batch and 12.0 are steps of job 12
  std::string_view priority{};  ///< whole; larger goes first
};

/// Whether the column of priorities is read; one that trace_columns names always is.
enum class trace_priorities {
  ignored,
  if_there,  ///< all priorities are 0 where the header lacks it
  required
};

/// Rows to take: those whose column holds this value. All of them, without a column.
struct trace_filter {
  std::string_view column{};
  std::string_view value{};
};

/// Columns as somebody wrote them, and the part that is not understood: empty if all is.
struct parsed_trace_columns {
  trace_columns value{};
  std::string_view wrong{};

  constexpr explicit operator bool() const { return wrong.empty(); }
};

/// Reads "vc=5". The column is empty where there is no "=". It views the text.
constexpr trace_filter parse_trace_filter(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos) return {};
  return {.column = trimmed(text.substr(0, equals)), .value = trimmed(text.substr(equals + 1))};
}

/// Reads "submit=Submit,gpus=NGPU,duration=Elapsed": fields of trace_columns and names of columns,
/// which have no comma. It views the text.
constexpr parsed_trace_columns parse_trace_columns(std::string_view text) {
  struct field {
    std::string_view name;
    std::string_view trace_columns::*member;
  };
  constexpr std::array fields{
      field{"submit", &trace_columns::submit},     field{"gpus", &trace_columns::gpus},
      field{"duration", &trace_columns::duration}, field{"start", &trace_columns::start},
      field{"end", &trace_columns::end},           field{"state", &trace_columns::state},
      field{"job", &trace_columns::job},           field{"priority", &trace_columns::priority}};

  parsed_trace_columns read;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    const std::string_view part = trimmed(text.substr(0, comma));
    more = comma != text.npos;
    if (more) text.remove_prefix(comma + 1);

    const trace_filter pair = parse_trace_filter(part);
    bool known = false;
    for (const field& f : fields)
      if (f.name == pair.column && !pair.value.empty() && (read.value.*f.member).empty()) {
        read.value.*f.member = pair.value;
        known = true;
      }
    if (known) continue;
    read.wrong = part.empty() ? std::string_view{","} : part;
    return read;
  }
  return read;
}

}  // namespace gpuplan
