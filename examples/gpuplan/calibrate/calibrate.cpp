/// \file
/// gpuplan calibrate: files of measurements made into a profile that plans are made with.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/calibrate/profile.hpp>
#include <gpuplan/calibrate/profile_reader.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/units/number_format.hpp>

#include "calibrate/file.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "program.hpp"
#include "table_file.hpp"

namespace gpuplan::cli {
namespace {

constexpr const char* after_calibrate_options =
    "Reads measurements, fits curves to them, and writes a profile: measured rates, links and\n"
    "sizes that replace those of the datasheet.  The content of a file decides its kind.\n"
    "Where two files give the same quantity, the later file counts.\n"
    "\n"
    "  gpuplan-probe            products, memory, host, links, what software takes of the memory\n"
    "  nccl-tests, text or -J   links: of one host those inside a node, of several the fabric\n"
    "  nvbandwidth -j           the host, and pairs of GPUs\n"
    "  a profile                everything in it\n"
    "  Megatron-LM, PyTorch's memory, nvidia-smi --format=csv: shown as a summary, not fitted\n"
    "\n"
    "Every constant is printed with the bounds that hold it in 95 % of measurements, and with the\n"
    "error of its fit.\n"
    "\n"
    "Examples:\n"
    "  gpuplan calibrate probe.json nccl-64.txt --gpu H100 -o profile.json\n"
    "  gpuplan plan llama-3-8b --gpu H100 --gpus 64 --profile profile.json\n";

struct calibrate_options {
  std::vector<std::string> logs;
  std::string gpu, ranks, nodes, output;
  answer_options answer;
};

/// read_measured_file; every refusal begins with the name of the file.
measured_file read_named(const std::string& name, const std::string& text, const sweep_hint& hint) {
  try {
    return read_measured_file(name, text, hint);
  } catch (const invalid_input& refusal) {
    const std::string why = refusal.what();
    throw invalid_input{why.starts_with(name) ? why : name + ": " + why};
  }
}

/// Takes out what the device cannot do, and names it: a buffer that stayed in the cache, another
/// device.
std::vector<std::string> without_excess(cluster_profile& profile) {
  std::vector<std::string> names;
  if (profile.gpu.empty()) return names;
  const accelerator& gpu = *find_gpu(profile.gpu, "profile: gpu").gpu;
  const auto is_possible = [&](const cluster_profile& alone) {
    try {
      static_cast<void>(calibrated(gpu, alone));
      return true;
    } catch (const invalid_input&) {
      return false;
    }
  };
  if (!is_possible({.memory_bandwidth = profile.memory_bandwidth})) {
    names.emplace_back("memory_bandwidth");
    profile.memory_bandwidth = {};
  }
  for (std::size_t i = 0; i < number_formats.size(); ++i) {
    flop_per_second& rate = profile.products.*detail::peak_fields[i];
    cluster_profile alone;
    alone.products.*detail::peak_fields[i] = rate;
    if (is_possible(alone)) continue;
    names.push_back("products_" + std::string(spelled(number_format_names, number_formats[i])));
    rate = {};
  }
  return names;
}

exit_code run_calibrate(const calibrate_options& typed) {
  if (typed.logs.empty()) throw bad_usage{"give LOG, a file of measurements"};
  const auto count = [](const std::string& text, const char* option, int least) {
    return text.empty() ? 0 : static_cast<int>(whole_number(text, option, least, 1000000));
  };
  const sweep_hint hint{count(typed.ranks, "--ranks", 2), count(typed.nodes, "--nodes", 1)};
  cluster_profile profile;
  if (!typed.gpu.empty()) profile.gpu = find_gpu(typed.gpu, "--gpu").name;
  std::string said;
  report_json logs = report_json::array();
  for (const std::string& path : typed.logs) {
    measured_file taken = read_named(name_of_table(path), table_text(path), hint);
    if (!typed.gpu.empty()) taken.profile.gpu.clear();  // as typed, whatever a file says
    profile = merged(std::move(profile), taken.profile);
    said += taken.said;
    logs.push_back(std::move(taken.json));
  }
  const std::vector<std::string> left_out = without_excess(profile);
  for (const std::string& name : left_out)
    said += fmt::format("{} is not used: it is above the datasheet of {}\n", name, profile.gpu);
  const std::string written = json_of(profile).dump(2) + "\n";
  report_json answer{{"schema_version", report_schema_version},
                     {"logs", std::move(logs)},
                     {"left_out", left_out},
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
  CLI::App* options = program.add_subcommand(
      "calibrate", "Make a profile of measured rates and links, to use instead of datasheets");
  options->footer(after_calibrate_options);
  const auto typed = std::make_shared<calibrate_options>();
  options->add_option("LOG", typed->logs,
                      "Files of measurements, of the kinds below; - for standard input");
  options->add_option("--gpu", typed->gpu,
                      "The measured device, such as H100 [as the probe names it]");
  options->add_option("--ranks", typed->ranks,
                      "Number of GPUs, for logs whose header does not list them");
  options->add_option("--nodes", typed->nodes, "Number of nodes, likewise");
  options->add_option("-o,--output", typed->output, "File of the profile [printed]");
  typed->answer.add(*options);
  return {options, [typed] { return run_calibrate(*typed); }};
}

}  // namespace gpuplan::cli
