/// \file
/// gpuplan evaluate: one JSON request a line in, one answer a line out.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <gpuplan/calibrate/profile_reader.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/mixed_pool.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/text/json_text.hpp>

#include "inputs.hpp"
#include "profile_effect.hpp"
#include "program.hpp"
#include "request.hpp"
#include "request_stream.hpp"

namespace gpuplan::cli {
namespace {

constexpr const char* after_evaluate_options =
    "A request, one a line; all but the model may be left out:\n"
    "  {\"model\": \"llama-3-8b\",\n"
    "   \"cluster\": {\"gpu\": \"H100\", \"gpus\": 64, \"gpus_per_node\": 8, \"fabric\": "
    "\"NDR\"},\n"
    "   \"recipe\": {\"sequence_length\": 4096, \"global_batch_size\": 512, \"zero\": 1},\n"
    "   \"parallelism\": {\"data\": 16, \"tensor\": 4, \"micro_batch_size\": 1}}\n"
    "\n"
    "model        a name of the catalogue, a config.json object, or the library's own fields\n"
    "cluster      gpu, gpus [as many as the layout uses], gpus_per_node [8], fabric: a name, or\n"
    "             {\"latency_s\": 5e-6, \"bandwidth_bytes_per_s\": 50e9}; gpu_memory_bytes;\n"
    "             slowest [1: its GPU's time over the others'], host_memory_bytes,\n"
    "             host_update_bytes_per_s [110e9], of a node.  A list of clusters, each with its\n"
    "             gpus, is one pool of several kinds of GPU: the answer is that of the kind that\n"
    "             all wait for, of which the workspace's defaults are those of the first; mixed\n"
    "             says how long they wait\n"
    "recipe       sequence_length [2048 or the model's positions],\n"
    "             global_batch_size [data x micro_batch_size x pipeline],\n"
    "             precision (fp32, tf32, fp16, bf16, fp8, pure_bf16), optimizer, gradient_dtype,\n"
    "             zero (0 to 3), recompute (none, selective, full), recompute_every,\n"
    "             sequence_parallel, attention (flash, unfused), dropout, schedule (gpipe, 1f1b,\n"
    "             interleaved, zb_h1, zb_h2, zb_v, dualpipe), layer_split (layers of each stage),\n"
    "             encoder_sequence_length, framework, loss, weights, gradients_live,\n"
    "             interleave_group, offload (none, optimizer, all), offloaded_activations\n"
    "             (0 to 1), adapter_rank [0: all is trained], adapter_place (attention,\n"
    "             attention_and_ffn), expert_imbalance [1], expert_dispatch (to_each_expert,\n"
    "             to_each_node), expert_messages (by_schedule, overlapped)\n"
    "parallelism  data, tensor, pipeline, context, expert, interleave, micro_batch_size,\n"
    "             expert_tensor, shard_group [1 each; these two as tensor, data x context],\n"
    "             context_exchange (ring, all_to_all), group_order (data_then_pipeline,\n"
    "             pipeline_then_data: which of them lies outermost)\n"
    "workspace    cublas_bytes, transformer_engine_bytes, cuda_context_bytes, communicator_bytes,\n"
    "             fragmentation, update_temporary_bytes [by the GPU's generation]\n"
    "\n"
    "Precision bf16 means mixed_bf16, with a master copy in FP32; BF16 alone is pure_bf16; a GPU\n"
    "without BF16 is asked for fp16.  The\n"
    "answer's inputs say how everything was understood, and are themselves a request.  A line "
    "that\n"
    "cannot be answered gets {\"line\": n, \"error\": \"...\"}; a blank line gets nothing, and "
    "one\n"
    "above 16 MiB is not read.  Exit code 0 if every line was answered, whether it fits or not,\n"
    "else 2.\n"
    "\n"
    "Example:\n"
    "  echo '{\"model\": \"llama-3-8b\", \"parallelism\": {\"tensor\": 8}}' | gpuplan evaluate\n";

/// Of a pool of several kinds: what all wait for, and how long.
report_json json_of_mixed(const mixed_estimate& mixed, const job& asked) {
  const bool fits = mixed.fits();
  const auto time = [&](seconds t) { return fits ? json_number(t) : report_json(nullptr); };
  const cluster_request& slowest =
      mixed.part == 0 ? asked.asked : asked.others[mixed.part - 1].asked;
  return json_object{5}
      .add("part", mixed.part)
      .add("gpu", slowest.gpu)
      .add("mean_step_time_s", time(mixed.step.mean))
      .add("idle_share", fits ? json_number(mixed.step.idle()) : report_json(nullptr))
      .add("proportional_step_time_s", time(mixed.proportional))
      .take();
}

mixed_estimate evaluate_kinds(const job& asked) {
  std::vector<cluster> parts{asked.pool};
  for (const pool_part& part : asked.others) parts.push_back(part.pool);
  return evaluate_mixed(asked.model, parts, asked.recipe, asked.parallelism, asked.workspace);
}

report_json answer_to(std::string_view request, std::int64_t line,
                      const measured_cluster& measured) {
  const job asked = read_request(parse_json(request, "request"), measured);
  const bool of_kinds = !asked.others.empty();
  const mixed_estimate mixed = of_kinds ? evaluate_kinds(asked) : mixed_estimate{};
  const estimate what = of_kinds ? mixed.slowest
                                 : gpuplan::evaluate(asked.model, asked.pool, asked.recipe,
                                                     asked.parallelism, asked.workspace);
  json_object answer{20};
  answer.add("schema_version", report_schema_version).add("line", line).add(gpuplan::json_of(what));
  if (of_kinds) answer.add("mixed", json_of_mixed(mixed, asked));
  if (!measured.file.empty())
    answer.add("calibration", json_of(effect_of(asked, asked.recipe, asked.parallelism)));
  return answer.add("inputs", json_of(asked)).take();
}

}  // namespace

command evaluate_command(CLI::App& program) {
  CLI::App* options =
      program.add_subcommand("evaluate", "Answer JSON requests, one a line, from standard input");
  options->footer(after_evaluate_options);
  const auto profile = std::make_shared<std::string>();
  options->add_option("--profile", *profile,
                      "Measured rates and links for every request, as gpuplan calibrate writes "
                      "them; each answer then compares them with the datasheets'");
  return {options, [profile] {
            measured_cluster measured;
            if (!profile->empty())
              measured = {*profile, read_profile(read_file(*profile), *profile)};
            const bool all_answered =
                answer_lines([&](std::string_view request, std::int64_t line) {
                  return answer_to(request, line, measured);
                });
            return all_answered ? exit_done : exit_usage;
          }};
}

}  // namespace gpuplan::cli
