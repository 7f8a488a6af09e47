/// \file
/// gpuplan explain: why two answers, or an answer and a measurement, differ.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "explain/comparison.hpp"
#include "explain/side.hpp"
#include "html_file.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "program.hpp"

namespace gpuplan::cli {
namespace {

constexpr const char* after_explain_options =
    "A is an answer of evaluate, fit --json or plan --json.  B is another, or a measurement:\n"
    "\n"
    "  a profile        what torch.profiler's export_chrome_trace writes, of one rank; steps are\n"
    "                   those that profiler.step() marks\n"
    "  memory           torch.cuda.memory._dump_snapshot(file), with its trace where\n"
    "                   torch.cuda.memory._record_memory_history() was called before; or\n"
    "                   _snapshot() or memory_stats() as JSON, or the text of memory_summary()\n"
    "  plain numbers    {\"step_time_s\": 2.9, \"allocated_bytes\": 5.1e10}: what PyTorch's "
    "tensors\n"
    "                   hold (peak_memory_bytes here, which in calibrate is device_bytes);\n"
    "                   reserved_bytes, and device_bytes of nvidia-smi, too\n"
    "\n"
    "The terms of the step and of the memory are printed side by side, that which accounts for "
    "the\n"
    "most first, then the inputs that differ.  Kernels are classified by their names; time of "
    "those\n"
    "that are unknown is unclassified.\n"
    "\n"
    "Examples:\n"
    "  gpuplan explain before.json after.json\n"
    "  gpuplan explain answer.json profile.json --assert 'step_time.difference_s < 0.2'\n";

struct explain_options {
  std::string before, after, stage, device, html;
  answer_options answer;
};

std::optional<int> number_from(const std::string& text, const char* option, int least) {
  if (text.empty()) return std::nullopt;
  constexpr int most = 1 << 20;
  return static_cast<int>(whole_number(text, option, least, most));
}

/// \throws bad_usage of an option that changes nothing
void refuse_idle(const explain_options& typed, const comparison& found) {
  if (!typed.device.empty() && !found.after.profile && !found.after.peak)
    throw bad_usage{"--device has no effect: B is neither a profile nor a snapshot of memory"};
  if (!typed.stage.empty() && !found.memory)
    throw bad_usage{"--stage has no effect: there is no memory to compare"};
}

exit_code run_explain(const explain_options& typed) {
  if (typed.before == "-" && typed.after == "-")
    throw bad_usage{"A and B must not both be standard input"};
  require_page(typed.html, std::array{typed.before, typed.after});
  const std::optional<int> stage = number_from(typed.stage, "--stage", 1);
  const comparison found = [&] {
    const progress shown{"gpuplan: reading"};
    side before = read_side(typed.before, {});
    const side_hint hint{.layout = layout_of(before),
                         .device = number_from(typed.device, "--device", 0)};
    return compared(std::move(before), read_side(typed.after, hint),
                    stage ? std::optional{*stage - 1} : std::nullopt);
  }();
  refuse_idle(typed, found);
  const report_json answer = answer_of(found);
  if (!typed.html.empty()) write_page(typed.html, page_of(found));
  if (typed.answer.as_json)
    print_json(answer);
  else
    print_for_people(found);
  return typed.answer.check(answer);
}

}  // namespace

command explain_command(CLI::App& program) {
  CLI::App* options = program.add_subcommand(
      "explain", "Why two answers, or an answer and a measurement, differ: term by term");
  options->footer(after_explain_options);
  const auto typed = std::make_shared<explain_options>();
  options->add_option("A", typed->before, "File of an answer; - for standard input")->required();
  options->add_option("B", typed->after, "File of an answer or of a measurement, likewise")
      ->required();
  options->add_option("--stage", typed->stage,
                      "Pipeline stage whose memory is compared, from 1 [the fullest of each]");
  options->add_option("--device", typed->device,
                      "GPU of a profile or of a snapshot [that with the most in it]");
  typed->answer.add(*options, "'step_time.difference_s < 0.2' or 'memory.difference_bytes < 1GiB'");
  add_html_option(*options, typed->html);
  return {options, [typed] { return run_explain(*typed); }};
}

}  // namespace gpuplan::cli
