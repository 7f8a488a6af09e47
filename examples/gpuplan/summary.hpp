#pragma once
/// \file
/// An estimate as tables for people.

#include <cstdint>
#include <string>
#include <string_view>

#include <gpuplan/api/host_memory.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/repair.hpp>
#include <gpuplan/report/table.hpp>

#include "program.hpp"
#include "request.hpp"

namespace gpuplan::cli {

/// 8030261248 as "8,030,261,248".
std::string grouped(double count);

/// "1 sequence", "8 sequences".
std::string counted(std::int64_t count, std::string_view what);
/// What the model is called, on one line whatever its file is called.
std::string name_of_model(const job& asked);

/// "data 8 x tensor 4, micro-batch 1 x 16": what is above one.
std::string layout_in_words(const recipe& how, const parallelism& cut);
/// "selective recompute, ZeRO 1, sequence parallel".
std::string recipe_in_words(const recipe& how, const parallelism& cut);

/// How much a table says.
enum class table_detail {
  brief,  ///< terms that belong together as one, small ones as the rest
  full
};

/// "12.34 GiB".
std::string sized(bytes size);
/// "56.3 %".
std::string percent(double share);

/// "79.11 GiB, as its driver shows": the memory that a job is compared with, and where it is from.
std::string memory_in_words(const accelerator& gpu);
/// "Host memory for what is offloaded: 96.5 GiB of a node's 1862.65 GiB.", a line; empty where nothing
/// is.
std::string host_memory_in_words(const estimate& what, const job& asked);

/// Memory of the first, the worst and the last stage, term by term, against the GPU's.
std::string memory_table(const footprint& memory, const accelerator& gpu, text_style style,
                         table_detail detail = table_detail::full);
/// The step, term by term.
std::string time_table(const step_time& step, text_style style,
                       table_detail detail = table_detail::full);
/// Repairs, at most `most`.
std::string repair_table(const repairs& found, const job& asked, bytes planned, seconds before,
                         std::size_t most, text_style style);
report_json json_of(const repairs& found, const job& asked);
/// "memory: 92.1 GB needed, 85.9 GB there: the worst stage ..."
std::string refusal_in_words(const reject& refusal);

/// What to know of the memory of lengths that vary, a line; nothing where they do not.
std::string warning_of_lengths(const job& asked);
/// That a power limit is above what a GPU draws, a line; nothing where it is not.
std::string warning_of_power_limit(const job& asked);
/// What would hide the wait for samples; empty where there is none.
std::string warning_of_input(const estimate& what, const job& asked);
/// What to know of the times of a mixture of experts, a line; nothing of other models.
std::string warning_of_experts(const job& asked);

/// "batch 1024 x 2048 tokens, mixed_bf16, adamw".
std::string job_in_words(const job& asked);

}  // namespace gpuplan::cli
