/// \file
/// gpuplan collective: how long one collective takes on its own.

#include <array>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/api/cluster_fields.hpp>
#include <gpuplan/comm/nccl_group.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/format.hpp>

#include "bands.hpp"
#include "collective/collective.hpp"
#include "field_options.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "program.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

constexpr const char* after_collective_options =
    "How long one collective takes on its own, as NCCL would run it on full nodes, a process for\n"
    "each GPU: its time, the range that measured times lie in, and the bandwidths of nccl-tests.\n"
    "Bytes are counted as nccl-tests count them: the whole vector.  A step of training sends\n"
    "several at once, beside its kernels: gpuplan plan has their time.\n"
    "\n"
    "Examples:\n"
    "  gpuplan collective all-reduce --bytes 1GB --gpu H100 --gpus 64\n"
    "  gpuplan collective all-gather --bytes 256MiB --gpu A100-80GB --gpus 8 --level 0.5\n"
    "  gpuplan collective all-reduce --bytes 64MB --gpu H100 --gpus 16 --fabric 200Gb/s --json\n";

/// Those that NCCL's model knows, and the all-to-all.
constexpr std::array collective_names{
    named<collective>{"all-reduce", collective::all_reduce},
    named<collective>{"reduce-scatter", collective::reduce_scatter},
    named<collective>{"all-gather", collective::all_gather},
    named<collective>{"all-to-all", collective::all_to_all},
    named<collective>{"broadcast", collective::broadcast},
    named<collective>{"reduce", collective::reduce}};

/// Fields of a cluster that decide the time of a collective.
constexpr std::array cluster_keys{"gpu", "gpus", "gpus_per_node", "nvlink_domain", "fabric"};

/// The options as typed; empty where not given.
struct collective_options {
  std::string what, message, latency;
  typed_fields<cluster_request> cluster{api::cluster_fields};
  band_options band;
  answer_options answer;

  void add(CLI::App& command);
  /// \throws bad_usage or invalid_input
  [[nodiscard]] collective_question question() const;
};

void collective_options::add(CLI::App& command) {
  command
      .add_option("KIND", what,
                  "all-reduce, reduce-scatter, all-gather, all-to-all, broadcast or reduce")
      ->required();
  command.add_option("--bytes", message, "Its size, as 1GB or 64MiB, as nccl-tests count it")
      ->required();
  for (const char* key : cluster_keys) {
    const auto& row = cluster.rows()[place_of_field(cluster.rows(), key)];
    const bool needed = row.key == "gpu" || row.key == "gpus";
    cluster.add(command, key, "Cluster", needed ? "" : usual_in_words(row));
  }
  command.get_option("--gpu")->required();
  command.get_option("--gpus")->required();
  command
      .add_option(
          "--latency", latency,
          "Of a short message over a --fabric given as a rate; 5us, as NCCL counts, or more "
          "[5us]")
      ->group("Cluster");
  band.add_level(command);
  answer.add(command, "'time_s < 5ms' or 'bus_bandwidth_bytes_per_s >= 300GB/s'");
}

collective_question collective_options::question() const {
  collective_question asked{.what = choice(what, collective_names, "KIND"),
                            .message = quantity_of<bytes>(message, "--bytes"),
                            .level = band.level_asked()};
  if (!(asked.message >= bytes{1} && asked.message <= bytes{1e18}))
    throw bad_usage{"--bytes must be from 1 B to 1e18 B, not " + message};
  asked.asked.gpu = find_gpu(cluster["gpu"], "--gpu").name;
  cluster.read(asked.asked);
  read_fabric(asked.asked, cluster["fabric"], latency);
  if (!latency.empty()) {
    asked.hop = asked.asked.link.latency;
    if (*asked.hop < nccl_hop)
      throw bad_usage{"--latency has no effect below 5us, which NCCL counts in any case, not " +
                      latency};
  }
  if (asked.asked.gpus < 2) throw bad_usage{"--gpus must be >= 2: one GPU has no one to talk to"};
  asked.pool = api::cluster_of(asked.asked);
  if (asked.pool.nodes == 1 && !cluster["fabric"].empty())
    throw bad_usage{
        fmt::format("--fabric has no effect: the {} GPUs are in one node", asked.asked.gpus)};
  return asked;
}

std::string title_of(const collective_question& asked) {
  const int nodes = asked.pool.nodes;
  std::string title = fmt::format("{} of {:.4g} on {} x {}", name_of(asked.what), asked.message,
                                  asked.ranks(), asked.asked.gpu);
  if (nodes > 1)
    title +=
        fmt::format(", {} nodes on {}", nodes,
                    asked.asked.fabric.empty() ? fmt::format("{:.4g}", asked.asked.link.bandwidth)
                                               : asked.asked.fabric);
  return title;
}

void print_answer(const collective_question& asked, const collective_answer& answer) {
  const text_style style = style_of_output();
  const seconds time = answer.found.total();
  print(bold(wrapped(title_of(asked), width_of_output()), style) + "\n\n");
  table rows{{{""}, {""}}};
  rows.row({"Time", format_duration(time)});
  rows.row({"Range", fmt::format("{} to {} in {}", format_duration(answer.low()),
                                 format_duration(answer.high()), level_in_words(asked.level))});
  rows.row({"Bus bandwidth", fmt::format("{:.4g}", answer.bus)});
  rows.row({"Algorithm bandwidth", fmt::format("{:.4g}", answer.algorithm)});
  if (const auto& choice = answer.found.choice)
    rows.row({"NCCL takes",
              fmt::format("{}, {}", name_of(choice->algorithm), name_of(choice->protocol))});
  print(rows.text_within(width_of_output(), style));
  print_lines(fmt::format("\nThe range is {}.\n", basis_in_words(answer.band)));
}

report_json json_of_collective(const collective_question& asked, const collective_answer& answer) {
  const seconds time = answer.found.total();
  const auto& choice = answer.found.choice;
  return {{"schema_version", report_schema_version},
          {"collective", name_of(asked.what)},
          {"message_bytes", json_number(asked.message)},
          {"gpus", asked.ranks()},
          {"nodes", asked.pool.nodes},
          {"time_s", json_number(time)},
          {"time_low_s", json_number(answer.low())},
          {"time_high_s", json_number(answer.high())},
          {"bus_bandwidth_bytes_per_s", json_number(answer.bus)},
          {"algorithm_bandwidth_bytes_per_s", json_number(answer.algorithm)},
          {"algorithm", choice ? report_json(name_of(choice->algorithm)) : report_json(nullptr)},
          {"protocol", choice ? report_json(name_of(choice->protocol)) : report_json(nullptr)},
          {"error_basis", {{"level", asked.level}, {"time", gpuplan::json_of(answer.band)}}},
          {"inputs", {{"cluster", api::json_of(asked.asked)}}}};
}

}  // namespace

command collective_command(CLI::App& program) {
  CLI::App* options =
      program.add_subcommand("collective", "How long one collective takes on its own");
  options->footer(after_collective_options);
  const auto typed = std::make_shared<collective_options>();
  typed->add(*options);
  return {options, [typed] {
            const collective_question asked = typed->question();
            const collective_answer found = answer_of(asked);
            const report_json answer = json_of_collective(asked, found);
            const exit_code checked = typed->answer.check(answer);
            if (typed->answer.as_json)
              print_json(answer);
            else
              print_answer(asked, found);
            return checked;
          }};
}

}  // namespace gpuplan::cli
