/// \file
/// gpuplan evaluate: one JSON request a line in, one answer a line out.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <gpuplan/api/job_reader.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/mixed_pool.hpp>
#include <gpuplan/report/json.hpp>

#include "bands.hpp"
#include "evaluate/fields.hpp"
#include "inputs.hpp"
#include "profile_effect.hpp"
#include "program.hpp"
#include "request.hpp"
#include "request_stream.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

std::string after_evaluate_options() {
  return "A request, one a line; all but the model may be left out:\n"
         "  {\"model\": \"llama-3-8b\",\n"
         "   \"cluster\": {\"gpu\": \"H100\", \"gpus\": 64, \"gpus_per_node\": 8, "
         "\"fabric\": \"NDR\"},\n"
         "   \"recipe\": {\"sequence_length\": 4096, \"global_batch_size\": 512, \"zero\": 1},\n"
         "   \"parallelism\": {\"data\": 16, \"tensor\": 4, \"micro_batch_size\": 1}}\n"
         "\n"
         "model\n"
         "  a name of the catalogue, a config.json object, or the library's own fields\n" +
         fields_in_words() +
         "\n"
         "A flag is true or false in JSON, zero may be a number, dropout a probability.  A fabric\n"
         "may be {\"latency_s\": 5e-6, \"bandwidth_bytes_per_s\": 50e9}.  A list of clusters, "
         "each\n"
         "with its gpus, is one pool of several kinds of GPU: the answer is that of the kind that\n"
         "all wait for, with the workspace defaults of the first kind; mixed says how long they\n"
         "wait.\n"
         "\n"
         "The answer's inputs say how everything was understood, and are themselves a request.  A\n"
         "line that cannot be answered gets {\"line\": n, \"error\": \"...\"}; a blank line gets\n"
         "nothing, and a line above 16 MiB is not read.  Exit code 0 if every line was answered,\n"
         "whether it fits or not, else 2.\n"
         "\n"
         "Example:\n"
         "  echo '{\"model\": \"llama-3-8b\", \"parallelism\": {\"tensor\": 8}}' | gpuplan "
         "evaluate\n";
}

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

report_json answer_to(std::string_view request, std::int64_t line, const measured_cluster& measured,
                      double level) {
  job asked;
  static_cast<api::job&>(asked) = api::parse_job(request, measured);
  const bool of_kinds = !asked.others.empty();
  const mixed_estimate mixed = of_kinds ? evaluate_kinds(asked) : mixed_estimate{};
  const estimate what = of_kinds ? mixed.slowest
                                 : gpuplan::evaluate(asked.model, asked.pool, asked.recipe,
                                                     asked.parallelism, asked.workspace);
  json_object answer{20};
  const accelerator& gpu =
      mixed.part == 0 ? asked.pool.gpu() : asked.others[mixed.part - 1].pool.gpu();
  const estimate_errors errors = of_kinds ? gpuplan::errors_of(what, gpu) : errors_of(what, asked);
  report_json estimated = gpuplan::json_of(what, gpu, errors, level);
  add_host_memory(estimated, what, asked);
  answer.add("schema_version", report_schema_version).add("line", line).add(std::move(estimated));
  if (of_kinds) answer.add("mixed", json_of_mixed(mixed, asked));
  if (!measured.file.empty())
    answer.add("calibration", json_of(effect_of(asked, asked.recipe, asked.parallelism)));
  return answer.add("inputs", json_of(asked)).take();
}

}  // namespace

command evaluate_command(CLI::App& program) {
  CLI::App* options =
      program.add_subcommand("evaluate", "Answer JSON requests, one a line, from standard input");
  options->footer(after_evaluate_options());
  const auto profile = std::make_shared<std::string>();
  options->add_option("--profile", *profile,
                      "Measured rates and links for every request, as gpuplan calibrate writes "
                      "them; each answer then compares them with the datasheets'");
  const auto bands = std::make_shared<band_options>();
  bands->add_level(*options);
  const auto fields = std::make_shared<bool>(false);
  options->add_flag("--fields", *fields, "Print every field of a request, as JSON, and end");
  return {options, [profile, bands, fields] {
            if (*fields) {
              if (!profile->empty())
                throw bad_usage{"--profile has no effect: --fields answers no request"};
              if (!bands->level.empty())
                throw bad_usage{"--level has no effect: --fields answers no request"};
              print_json(fields_as_json());
              return exit_done;
            }
            const double level = bands->level_asked();
            measured_cluster measured;
            if (!profile->empty()) measured = read_measured(*profile);
            const bool all_answered =
                answer_lines([&](std::string_view request, std::int64_t line) {
                  return answer_to(request, line, measured, level);
                });
            return all_answered ? exit_done : exit_usage;
          }};
}

}  // namespace gpuplan::cli
