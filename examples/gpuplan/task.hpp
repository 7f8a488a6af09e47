#pragma once
/// \file
/// The option --task: what a task sets of a job that leaves it open.

#include <string>

#include <gpuplan/report/json.hpp>

#include "options.hpp"
#include "request.hpp"

namespace CLI {
class App;
}

namespace gpuplan::cli {

void add_task_option(CLI::App& command, std::string& typed);

/// Whether the batch is that of a task, which no option says.
bool has_batch_of_task(const job_options& options);

/// Sets what the options leave open as the task that was typed has it, if one was; the batch a
/// multiple of `ranks` samples.
/// \throws bad_usage or invalid_input
void take_task(const std::string& typed, job_options& options, int ranks);
/// The same of one layout, which has a micro-batch of a sample.
/// \throws bad_usage or invalid_input
void take_task_of_layout(const std::string& typed, job_options& options);

/// "task sft: supervised fine-tuning of every weight; batch 128, ...", a line, or two; without a task
/// the line of the reference model, if there is one.
std::string task_in_words(const job& asked);
/// Null without a task.
report_json json_of_task(const job& asked);

}  // namespace gpuplan::cli
