/// \file
/// gpuplan evaluate: one JSON request a line in, one answer a line out.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include <gpuplan/api/line_answer.hpp>
#include <gpuplan/api/request_fields.hpp>

#include "bands.hpp"
#include "evaluate/fields.hpp"
#include "inputs.hpp"
#include "program.hpp"
#include "request.hpp"
#include "request_stream.hpp"

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
         "line that cannot be answered gets {\"line\": n, \"error\": {\"what\", \"where\", "
         "\"allowed\",\n"
         "\"did_you_mean\", \"exit_code\"}}, null where unknown; a blank line gets nothing, and a "
         "line\n"
         "above 16 MiB is not read.  Exit code 0 if every line was answered, whether it fits or\n"
         "not, else 2.\n"
         "\n"
         "Example:\n"
         "  echo '{\"model\": \"llama-3-8b\", \"parallelism\": {\"tensor\": 8}}' | gpuplan "
         "evaluate\n";
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
              print_json(api::fields_as_json());
              return exit_done;
            }
            api::line_terms terms{.level = bands->level_asked()};
            if (!profile->empty()) terms.measured = read_measured(*profile);
            const bool all_answered =
                answer_lines([&](std::string_view request, std::int64_t line) {
                  return api::answer_line(request, terms, line);
                });
            return all_answered ? exit_done : exit_usage;
          }};
}

}  // namespace gpuplan::cli
