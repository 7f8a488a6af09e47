/// \file
/// gpuplan calibrate: files of measurements made into a profile that plans are made with.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/calibrate/device_limits.hpp>
#include <gpuplan/calibrate/link_limits.hpp>
#include <gpuplan/calibrate/profile.hpp>
#include <gpuplan/calibrate/profile_reader.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/driver_name.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/text/visible.hpp>
#include <gpuplan/units/number_format.hpp>

#include "calibrate/beliefs.hpp"
#include "calibrate/file.hpp"
#include "calibrate/runs.hpp"
#include "calibrate/words.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "output_file.hpp"
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
    "  a profile                everything in it; runs of several count together, beside the "
    "rates\n"
    "                           of all files\n"
    "  a table of runs (CSV)    a layout in each row, and seconds of a step or peak_memory_bytes;\n"
    "                           columns as fields are called in JSON\n"
    "  logs of training         Megatron-LM, torchtitan, NeMo, DeepSpeed, Hugging Face Trainer,\n"
    "                           with --model and --layout\n"
    "  PyTorch's memory, nvidia-smi --format=csv: shown as a summary, not fitted\n"
    "\n"
    "Every constant is printed with the bounds that hold it in 95 % of measurements, and with the\n"
    "error of its fit.\n"
    "\n"
    "Examples:\n"
    "  gpuplan calibrate probe.json nccl-64.txt --gpu H100 -o profile.json\n"
    "  gpuplan calibrate probe.json steps.csv --model llama-3-8b -o profile.json\n"
    "  gpuplan plan llama-3-8b --gpu H100 --gpus 64 --profile profile.json\n";

struct calibrate_options {
  std::vector<std::string> logs;
  std::string gpu, ranks, nodes, model, layout, output;
  bool force = false;
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

/// Takes out what the device cannot do, and tells it: a buffer that stayed in the cache, another
/// device, another unit.
std::vector<device_excess> without_excess(cluster_profile& profile) {
  if (profile.gpu.empty()) return {};
  const std::vector<device_excess> beyond =
      beyond_device(*find_gpu(profile.gpu, "profile: gpu").gpu, profile);
  for (const device_excess& one : beyond) {
    if (one.name == "memory_bandwidth") profile.memory_bandwidth = {};
    if (one.name == "memory") profile.memory = {};
    for (std::size_t i = 0; i < number_formats.size(); ++i)
      if (one.name == "products_" + std::string(spelled(number_format_names, number_formats[i])))
        profile.products.*detail::peak_fields[i] = {};
  }
  return beyond;
}

/// Names in the profile the links that are faster than their wires, and says a line of each.
/// \throws bad_usage of the first, unless they are taken
std::string take_forced_links(cluster_profile& profile, doubtful links) {
  std::string said;
  profile.forced.clear();
  for (const link_excess& one : links_beyond_wires(profile)) {
    if (links == doubtful::refused)
      throw bad_usage{in_words(one) + "; --force takes it, as of sums inside a switch"};
    profile.forced.emplace_back(one.name);
    said += in_words(one) + "; taken by --force\n";
  }
  return said;
}

/// What the user says of the jobs of runs.
job_options job_typed(const calibrate_options& typed) {
  job_options job;
  job.model = typed.model;
  job.model_said_by = "--model";
  job.cluster["gpu"] = typed.gpu;
  read_layout(job, typed.layout, "--layout");
  return job;
}

/// All that files tell: a profile of what they measured, what profiles have of runs, and runs.
struct read_files {
  cluster_profile profile;
  std::vector<told_belief> beliefs;
  std::vector<told_run> runs;
  std::string said;
  report_json logs = report_json::array();
};

/// The GPU that files are of, and what says so.
class told_gpu {
 public:
  /// \throws invalid_input of a name that the catalogue has not
  explicit told_gpu(const std::string& typed) : is_typed_{!typed.empty()} {
    if (!is_typed_) return;
    gpu_ = find_gpu(typed, "--gpu").name;
    said_by_ = "--gpu";
  }

  /// Takes the GPU that a file names, or its devices; in the profile it is then as the catalogue
  /// spells it. Of a GPU that is typed, names that the catalogue does not know are passed over.
  /// \throws bad_usage if the file is of another GPU
  void take(const std::string& file, cluster_profile& profile,
            const std::vector<told_device>& devices) {
    const catalog::accelerator_entry* const known = catalog::find_accelerator(profile.gpu);
    if (known != nullptr) profile.gpu = known->name;
    if (is_typed_ && known == nullptr) profile.gpu.clear();
    if (!profile.gpu.empty() && !gpu_.empty() && profile.gpu != gpu_) refuse(file, profile.gpu);
    if (!profile.gpu.empty() && gpu_.empty()) {
      gpu_ = profile.gpu;
      said_by_ = file;
    }
    for (const told_device& device : devices) devices_.push_back({file, device});
  }

  /// Refuses devices that are none of the GPU, whatever the order of the files.
  /// \throws bad_usage
  void check_devices() const {
    if (gpu_.empty()) return;
    for (const auto& [file, device] : devices_) {
      const auto may_be = catalog::entries_of_driver_name(device.name, device.memory);
      const bool is_of_gpu =
          std::any_of(may_be.begin(), may_be.end(),
                      [&](const catalog::accelerator_entry* entry) { return entry->name == gpu_; });
      if (!may_be.empty() && !is_of_gpu) refuse(file, visible(device.name));
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& file, const std::string& other) const {
    if (is_typed_)
      throw bad_usage{fmt::format("{}: is of {}, not of {}, as --gpu says", file, other, gpu_)};
    throw bad_usage{fmt::format("{}: is of {}, and {} of {}; the GPU must be the same in both",
                                file, other, said_by_, gpu_)};
  }

  bool is_typed_ = false;
  std::string gpu_{};
  std::string said_by_{};
  std::vector<std::pair<std::string, told_device>> devices_{};
};

/// \throws bad_usage or invalid_input if a file cannot be read, or is of another GPU
read_files read_all(const calibrate_options& typed, const sweep_hint& hint) {
  read_files all;
  told_gpu gpu{typed.gpu};
  if (!typed.gpu.empty()) all.profile.gpu = find_gpu(typed.gpu, "--gpu").name;
  for (const std::string& path : typed.logs) {
    const std::string name = name_of_table(path);
    measured_file taken = read_named(name, text_or_pickle(path), hint);
    gpu.take(name, taken.profile, taken.devices);
    all.profile = merged(std::move(all.profile), rates_of(taken.profile, all.profile.sources));
    all.said += taken.said;
    if (taken.profile.steps.runs > 0 || taken.profile.beside_model.runs > 0)
      all.beliefs.push_back({name, all.logs.size(), std::move(taken.profile)});
    all.logs.push_back(std::move(taken.json));
    for (told_run& run : taken.runs) all.runs.push_back(std::move(run));
  }
  gpu.check_devices();
  return all;
}

/// Refuses an output that is an input: one of the files, or one from which a job is read, its model
/// among them.
/// \throws bad_usage or output_lost
void require_own_output(const calibrate_options& typed, const std::vector<std::string>& of_jobs) {
  if (typed.output.empty()) return;
  std::vector<std::string> inputs = typed.logs;
  inputs.insert(inputs.end(), of_jobs.begin(), of_jobs.end());
  require_writable("--output", typed.output, inputs);
}

/// Files that the jobs of runs are read from.
std::vector<std::string> files_of(const std::vector<told_run>& runs) {
  std::vector<std::string> all;
  for (const told_run& run : runs)
    for (std::string& path : run.typed.files()) all.push_back(std::move(path));
  return all;
}

/// A line for each file of runs that a profile rests on already.
std::string repeated_in_words(const cluster_profile& known, const cluster_profile& more) {
  std::string lines;
  for (const profile_source& one : more.sources)
    for (const profile_source& before : known.sources)
      if (one.file == before.file && one.what == before.what)
        lines +=
            fmt::format("{}: is among the sources of the profile already; its runs count again\n",
                        visible(one.file));
  return lines;
}

/// Refuses options that say something of a kind of file that none is of.
/// \throws bad_usage
void refuse_idle(const calibrate_options& typed, const read_files& read) {
  const bool sweeps = std::any_of(read.logs.begin(), read.logs.end(), [](const report_json& log) {
    return log.value("kind", "") == "nccl-tests";
  });
  for (const auto& [option, text] :
       {std::pair{"--ranks", &typed.ranks}, std::pair{"--nodes", &typed.nodes}})
    if (!text->empty() && !sweeps)
      throw bad_usage{std::string(option) + " has no effect: no file is a log of nccl-tests"};
  if (!read.runs.empty()) return;
  const bool steps = std::any_of(read.logs.begin(), read.logs.end(), [](const report_json& log) {
    return log.value("kind", "") == "training" || log.value("kind", "") == "megatron";
  });
  if (!typed.layout.empty() && typed.model.empty() && steps)
    throw bad_usage{"--layout needs --model"};
  for (const auto& [option, text] :
       {std::pair{"--model", &typed.model}, std::pair{"--layout", &typed.layout}})
    if (!text->empty())
      throw bad_usage{std::string(option) + " has no effect: no file tells of runs"};
}

exit_code run_calibrate(const calibrate_options& typed) {
  if (typed.logs.empty()) throw bad_usage{"give LOG, a file of measurements"};
  const job_options job = job_typed(typed);
  require_own_output(typed, job.files());
  const auto count = [](const std::string& text, const char* option, int least) {
    return text.empty() ? 0 : static_cast<int>(whole_number(text, option, least, 1000000));
  };
  const doubtful doubts = typed.force ? doubtful::taken : doubtful::refused;
  const sweep_hint hint{count(typed.ranks, "--ranks", 2), count(typed.nodes, "--nodes", 1), doubts,
                        &job};
  read_files read = read_all(typed, hint);
  require_own_output(typed, files_of(read.runs));
  refuse_idle(typed, read);
  cluster_profile& profile = read.profile;
  std::string& said = read.said;
  std::vector<std::string> left_out;
  for (const device_excess& one : without_excess(profile)) {
    left_out.push_back(one.name);
    said += fmt::format("{} is not used: it is {} the datasheet of {}\n", one.name,
                        one.is_above() ? "above" : "far below", profile.gpu);
  }
  said += take_forced_links(profile, doubts);
  combine_beliefs(read.beliefs, profile, said, read.logs);
  report_json fitted = nullptr;
  if (!read.runs.empty()) {
    fitted_runs runs = fit_runs(read.runs, profile, doubts);
    said += runs.said + repeated_in_words(profile, runs.profile);
    profile = merged(std::move(profile), runs.profile);
    fitted = std::move(runs.json);
  }
  const bool empty = is_empty(profile);
  if (empty && !typed.output.empty())
    throw bad_usage{
        "--output: no file has anything that a profile takes; runs need --model and --layout"};
  const std::string written = empty ? "" : json_of(profile).dump(2) + "\n";
  report_json answer{{"schema_version", report_schema_version},
                     {"logs", std::move(read.logs)},
                     {"runs", std::move(fitted)},
                     {"left_out", left_out},
                     {"forced", profile.forced},
                     {"profile", empty ? report_json(nullptr) : report_json::parse(written)}};
  const exit_code checked = typed.answer.check(answer);
  if (!typed.output.empty()) write_file(typed.output, written);
  if (typed.answer.as_json) {
    print_json(answer);
  } else if (typed.output.empty()) {
    print_lines(said);
    print(empty ? "" : "\n" + written);
  } else {
    print_lines(said + "Written to " + visible(typed.output) + ".\n");
  }
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
  options->add_option("--model", typed->model,
                      "Of runs: a name of the catalogue, or path of a config.json");
  options->add_option(
      "--layout", typed->layout,
      "Of runs, what their files do not tell: tensor=2,zero=1,gpus=16, by the names "
      "that fields have in JSON");
  options->add_option("--ranks", typed->ranks,
                      "Number of GPUs of each log, where its header does not list them");
  options->add_option("--nodes", typed->nodes, "Number of nodes of each log, likewise");
  options->add_flag("--force", typed->force,
                    "Take links that are above the rate of their wires, poor fits, and runs that "
                    "contradict each other");
  options->add_option("-o,--output", typed->output, "File of the profile [printed]");
  typed->answer.add(*options, "'logs[0].runs >= 3' or 'runs.factors[0].factor < 1.1'");
  return {options, [typed] { return run_calibrate(*typed); }};
}

}  // namespace gpuplan::cli
