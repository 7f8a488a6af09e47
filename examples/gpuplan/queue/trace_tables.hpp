#pragma once
/// \file
/// What a trace says of its jobs, as tables for people and as JSON.

#include <cstdint>
#include <string>
#include <vector>

#include <gpuplan/report/table.hpp>

#include "program.hpp"
#include "queue/trace.hpp"

namespace gpuplan::cli {

/// "82,247 jobs in 109 d 12 h, 31.3/h: 373.8 GPUs busy of 600".
std::string title_of(const trace_facts& facts, std::int64_t gpus);
/// What became of the rows of the table that are no jobs.
std::string counts_in_words(const trace_facts& facts);
std::string assumptions_table(const std::vector<assumption>& all, text_style style);
/// Arrivals by hour of the day and by day of the week.
std::string profile_table(const trace_facts& facts, text_style style);

report_json json_of(const trace_facts& facts);
report_json json_of(const std::vector<assumption>& all);
/// The question.
report_json json_of(const queue_trace& asked);

}  // namespace gpuplan::cli
