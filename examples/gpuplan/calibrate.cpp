/// \file
/// gpuplan calibrate: logs of measurements made into a profile that plans are made with.

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/calibrate/collective_fit.hpp>
#include <gpuplan/calibrate/megatron_log.hpp>
#include <gpuplan/calibrate/nccl_tests_log.hpp>
#include <gpuplan/calibrate/profile.hpp>
#include <gpuplan/calibrate/profile_reader.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/units/format.hpp>

#include "inputs.hpp"
#include "options.hpp"
#include "program.hpp"
#include "table_file.hpp"

namespace gpuplan::cli {
namespace {

constexpr const char* after_options =
    "Reads logs of nccl-tests and of Megatron-LM, fits the links, and writes a profile: measured\n"
    "latency and bandwidth in the place of the datasheets'. A log of one host is of the links\n"
    "inside a node, one of several of the fabric. Training logs are summed up, and fit nothing.\n"
    "\n"
    "Examples:\n"
    "  gpuplan calibrate nccl-8.txt nccl-64.txt --gpu H100 -o profile.json\n"
    "  gpuplan plan llama-3-8b --gpu H100 --gpus 64 --profile profile.json\n";

struct calibrate_options {
  std::vector<std::string> logs;
  std::string gpu, ranks, nodes, output;
  answer_options answer;
};

struct calibrated_log {
  std::string kind;  ///< "nccl-tests" or "megatron"
  std::string said;  ///< in words
  profile_source source;
  report_json json;
};

std::string in_percent(double part) {
  return fmt::format("{:.1f} %", 100 * part);
}

/// A log of nccl-tests, taken into the profile.
calibrated_log take_collective(const std::string& name, const nccl_tests_log& log,
                               const calibrate_options& typed, cluster_profile& profile) {
  say_faults(name, log.faults, log.faulty);
  const int ranks = typed.ranks.empty()
                        ? log.ranks
                        : static_cast<int>(whole_number(typed.ranks, "--ranks", 2, 1000000));
  const int nodes = typed.nodes.empty()
                        ? log.nodes
                        : static_cast<int>(whole_number(typed.nodes, "--nodes", 1, 1000000));
  if (ranks < 2 || nodes < 1)
    throw bad_usage{name + ": its head does not list the ranks; say --ranks and --nodes"};
  if (ranks % nodes != 0)
    throw bad_usage{
        fmt::format("{}: {} ranks on {} nodes are not as many on each", name, ranks, nodes)};
  nccl_tests_log known = log;
  known.ranks = ranks;
  const collective what = collective_of(known);
  const std::vector<transfer_sample> samples = log.samples();
  if (samples.size() < 3) throw bad_usage{name + ": fewer than 3 sizes above 0 B"};

  const collective_fit fit = fit_collective(samples, collective_form::alpha_beta);
  const bool inside = nodes == 1;
  const interconnect link = link_of_collective(fit.link, what, ranks, inside ? 1 : ranks / nodes);
  (inside ? profile.scale_up : profile.fabric) = link;
  const std::string measured =
      fmt::format("{} of {} ranks on {}, {} sizes", name_of(what), ranks,
                  inside ? "one node" : fmt::format("{} nodes", nodes), samples.size());
  calibrated_log taken;
  taken.kind = "nccl-tests";
  taken.source = {.file = name,
                  .what = measured,
                  .median_error = fit.quality.median,
                  .p90_error = fit.quality.p90};
  taken.said = fmt::format(
      "{}: {}\n  {}: {:.2f} us, {:.1f} GB/s a GPU; the fit is off by {} (median), {} (p90)\n", name,
      measured, inside ? "inside a node" : "fabric", link.latency / units::us,
      link.bandwidth / (units::GB / units::second), in_percent(fit.quality.median),
      in_percent(fit.quality.p90));
  taken.json = {{"file", name},
                {"kind", taken.kind},
                {"collective", name_of(what)},
                {"ranks", ranks},
                {"nodes", nodes},
                {"sizes", samples.size()},
                {"link", inside ? "scale_up" : "fabric"},
                {"latency_s", json_number(link.latency)},
                {"bandwidth_bytes_per_s", json_number(link.bandwidth)},
                {"median_error", json_number(fit.quality.median)},
                {"p90_error", json_number(fit.quality.p90)},
                {"outliers", fit.quality.outliers}};
  return taken;
}

/// A log of training, summed up.
calibrated_log take_training(const std::string& name, const megatron_log& log) {
  const seconds step = log.typical_time(log.iterations.size() > 6 ? 3 : 0);
  bytes most{};
  for (const megatron_memory& one : log.memory) most = std::max(most, one.max_allocated);
  calibrated_log taken;
  taken.kind = "megatron";
  taken.said =
      fmt::format("{}: {} iterations of {}", name, log.iterations.size(), format_duration(step));
  if (most > bytes{0})
    taken.said += fmt::format(", at most {:.2f} GiB allocated", most / units::GiB);
  taken.said += "\n";
  taken.source = {.file = name, .what = "training"};
  taken.json = {
      {"file", name},
      {"kind", taken.kind},
      {"iterations", log.iterations.size()},
      {"faulty_lines", log.faulty},
      {"step_time_s", json_number(step)},
      {"max_allocated_bytes", most > bytes{0} ? json_number(most) : report_json(nullptr)}};
  return taken;
}

void write_file(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  const bool written =
      file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (!written || !closed) throw bad_usage{"--output: " + path + " cannot be written"};
}

exit_code run_calibrate(const calibrate_options& typed) {
  if (typed.logs.empty()) throw bad_usage{"LOG is needed: a file of nccl-tests or of Megatron-LM"};
  cluster_profile profile;
  if (!typed.gpu.empty()) profile.gpu = find_gpu(typed.gpu, "--gpu").name;
  std::string said;
  report_json logs = report_json::array();
  for (const std::string& path : typed.logs) {
    const std::string name = name_of_table(path);
    const std::string text = table_text(path);
    const megatron_log training = read_megatron_log(text);
    const nccl_tests_log collectives =
        training.iterations.empty() ? read_nccl_tests(text) : nccl_tests_log{};
    if (training.iterations.empty() && collectives.rows.empty()) {
      say_faults(name, collectives.faults, collectives.faulty);
      throw bad_usage{name + ": has neither rows of nccl-tests nor iterations of Megatron-LM"};
    }
    const calibrated_log taken = training.iterations.empty()
                                     ? take_collective(name, collectives, typed, profile)
                                     : take_training(name, training);
    if (taken.kind == "nccl-tests") profile.sources.push_back(taken.source);
    said += taken.said;
    logs.push_back(taken.json);
  }
  const std::string written = json_of(profile).dump(2) + "\n";
  report_json answer{{"schema_version", report_schema_version},
                     {"logs", std::move(logs)},
                     {"profile", report_json::parse(written)}};
  const exit_code checked = typed.answer.check(answer);
  if (!typed.output.empty()) write_file(typed.output, written);
  if (typed.answer.as_json)
    print_json(answer);
  else
    print(said + (typed.output.empty() ? "\n" + written : "Written to " + typed.output + ".\n"));
  return checked;
}

}  // namespace

command calibrate_command(CLI::App& program) {
  CLI::App* options =
      program.add_subcommand("calibrate", "Measured links in the place of the datasheets'");
  options->footer(after_options);
  const auto typed = std::make_shared<calibrate_options>();
  options->add_option("LOG", typed->logs,
                      "Logs of nccl-tests or Megatron-LM; - for standard input");
  options->add_option("--gpu", typed->gpu, "The device that was measured, as H100");
  options->add_option("--ranks", typed->ranks, "GPUs of the logs, where their heads do not say");
  options->add_option("--nodes", typed->nodes, "Nodes of the logs, likewise");
  options->add_option("-o,--output", typed->output, "Where the profile is written [shown]");
  typed->answer.add(*options);
  return {options, [typed] { return run_calibrate(*typed); }};
}

}  // namespace gpuplan::cli
