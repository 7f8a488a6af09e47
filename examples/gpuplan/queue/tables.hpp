#pragma once
/// \file
/// The answer of `gpuplan queue` as tables for people, and as JSON.

#include <string>

#include <gpuplan/report/table.hpp>
#include <gpuplan/units/units.hpp>

#include "program.hpp"
#include "queue/queue.hpp"

namespace gpuplan::cli {

/// "12.5 %", "< 0.01 %", and 100 % only where it is all.
std::string share_in_words(double share);
/// "4/h", "0.5/s".
std::string rate_in_words(per_second rate);
/// "45.48 GPUs", "1 GPU".
std::string amount_of_gpus(double gpus, int digits = 4);

/// Why the pool does not do the jobs, a sentence.
std::string verdict_in_words(const queue_answer& answer);

/// Every model, and what the chosen one may be off by.
std::string models_table(const queue_answer& answer, text_style style);
std::string needs_table(const queue_answer& answer, text_style style);
std::string sizes_table(const queue_answer& answer, text_style style);
std::string policies_table(const queue_answer& answer, text_style style);

/// Between what mean waits are whose errors were measured, a line each; nothing where none were.
std::string bands_in_words(const queue_answer& answer);
/// How long jobs wait, with the range of the mean at a level.
report_json json_of(const wait_figures& wait, double level);
/// All but the inputs.
report_json json_of(const queue_answer& answer);

}  // namespace gpuplan::cli
