#pragma once
/// \file
/// A trace of jobs, read from a table: submission times, GPUs and durations.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <gpuplan/text/field_value.hpp>
#include <gpuplan/text/row_fault.hpp>
#include <gpuplan/trace/columns.hpp>
#include <gpuplan/trace/detail/rows.hpp>
#include <gpuplan/trace/job.hpp>

namespace gpuplan {

/// How to read a table.
struct trace_options {
  trace_columns columns{};        ///< where its names are not the usual ones
  trace_filter only{};            ///< which rows
  std::size_t faults_kept = 100;  ///< the first so many; all are counted
  trace_priorities priorities = trace_priorities::if_there;
};

/// The rows below the header, each counted once.
struct trace_counts {
  std::int64_t jobs = 0;
  std::int64_t faulty = 0;
  std::int64_t filtered = 0;      ///< another value in the column asked for
  std::int64_t steps = 0;         ///< parts of a job that has a row of its own
  std::int64_t without_gpus = 0;  ///< zero of them
  std::int64_t not_started = 0;   ///< still waiting, or cancelled before they ran
  std::int64_t unfinished = 0;    ///< among jobs: still running, with what they had run by then

  /// Rows that are not blank.
  [[nodiscard]] constexpr std::int64_t total() const {
    return jobs + faulty + filtered + steps + without_gpus + not_started;
  }
};

/// The jobs of a table, and what became of its other rows.
struct job_trace {
  std::vector<trace_job> jobs;    ///< in the order of submission; ties as in the table
  std::vector<row_fault> faults;  ///< the first ones
  trace_counts counts{};
  /// The first whose time is a date where times before it are seconds, or the other way round: none
  /// of the times can then be trusted, those of other rows neither.
  std::optional<row_fault> other_clock{};
};

/// Reads a table of jobs: a header line, then a row for each job.
///
/// Fields are separated by commas, by tabs if the header has tabs and no comma, or by | as
/// `sacct --parsable2` prints them, whose column names are then the usual ones. Between commas and
/// tabs a field may stand in quotes, as RFC 4180 has them, of up to a hundred lines in a row.
/// Columns not asked for are passed over; blank lines, CRLF and a byte order mark are taken as
/// such.
///
///     submit, start, end   seconds from -1e12 to 1e12, or YYYY-MM-DD HH:MM:SS, T for the space
///     duration             seconds from 0 to 1e12, or D-HH:MM:SS
///     gpus                 a whole number up to 1e9, or Slurm's list with gres/gpu=N
///     priority             a whole number of 32 bits, with a sign or without
///
/// Submissions are all dates or all seconds, as the first one is, and so are starts and ends:
/// others are faults. Dates become seconds since 1970-01-01 by the clock of the table: one without
/// zones that is put forward in spring loses an hour there.
///
/// What sacct prints must have a JobID, or the steps of a job (12.batch) would be taken for jobs.
///
/// What is not a job is counted by reason. A job that still runs (state RUNNING or SUSPENDED, or
/// an end Unknown) is taken with what it has run so far, and marked as not finished. One that never
/// started (state PENDING, a start Unknown, or no GPUs allotted and no time run) is set aside.
///
/// Takes O(text) time (a million rows in a third of a second) and, beside the text, at most ten
/// times its memory, whatever it holds, where submission, GPUs and duration are three columns.
inline job_trace read_trace(std::string_view text, const trace_options& options = {}) {
  job_trace read;
  detail::trace_rows rows{text, options.columns, options.only, options.priorities};
  const auto refuse = [&] {
    ++read.counts.faulty;
    const bool is_kept = read.faults.size() < options.faults_kept;
    const bool is_other_clock = !read.other_clock && field_clock::is_other_kind(rows.problem());
    if (!is_kept && !is_other_clock) return;
    const row_fault fault = rows.fault();
    if (is_other_clock) read.other_clock = fault;
    if (is_kept) read.faults.push_back(fault);
  };
  if (!rows.readable()) {
    refuse();
    return read;
  }
  read.jobs.reserve(rows.most_jobs());
  while (rows.next()) {
    const detail::trace_row row = rows.read();
    switch (row.kind) {
      case detail::trace_row_kind::job:
        ++read.counts.jobs;
        if (!row.job.finished) ++read.counts.unfinished;
        read.jobs.push_back(row.job);
        break;
      case detail::trace_row_kind::faulty: refuse(); break;
      case detail::trace_row_kind::filtered: ++read.counts.filtered; break;
      case detail::trace_row_kind::step: ++read.counts.steps; break;
      case detail::trace_row_kind::without_gpus: ++read.counts.without_gpus; break;
      case detail::trace_row_kind::not_started: ++read.counts.not_started; break;
    }
  }
  const auto earlier = [](const trace_job& a, const trace_job& b) { return a.submit < b.submit; };
  if (!std::is_sorted(read.jobs.begin(), read.jobs.end(), earlier))
    std::stable_sort(read.jobs.begin(), read.jobs.end(), earlier);
  return read;
}

}  // namespace gpuplan
