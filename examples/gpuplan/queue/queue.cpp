/// \file
/// gpuplan queue: how long jobs wait for GPUs, and how many GPUs keep a promise.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/report/json.hpp>
#include <gpuplan/units/format.hpp>

#include "csv.hpp"
#include "html_file.hpp"
#include "program.hpp"
#include "queue/command_line.hpp"
#include "queue/page.hpp"
#include "queue/tables.hpp"
#include "queue/trace_tables.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

constexpr const char* after_queue_options =
    "How long jobs wait: the share that waits, the mean and the percentiles by each model, how\n"
    "far to trust it, the fewest GPUs for a target, other sizes, other policies.  The squared\n"
    "coefficient of variation (scv) is variance over squared mean: 0 if all are equal, 1 if\n"
    "random.\n"
    "\n"
    "A trace is a table with a header and a row for each job.  It is replayed on a pool of GPUs,\n"
    "whatever their node; the formulas stand beside that, and which of their assumptions fail.\n"
    "Rows that cannot be read are reported on standard error, by line, and counted.\n"
    "\n"
    "The mean wait of gangs of several sizes that come at random has a range, which --level sets;\n"
    "of other rows no errors were measured, and in JSON their range is null.\n"
    "\n"
    "Exit code 4 if jobs arrive faster than the GPUs finish them.\n"
    "\n"
    "Examples:\n"
    "  gpuplan queue --arrivals 4/h --service 10h --gpus 64\n"
    "  gpuplan queue --arrivals 100/day --service 5h --service-scv 9 --gpus-per-job 8 --gpus 256 "
    "\\\n"
    "      --target-p95 1h\n"
    "  gpuplan queue --arrivals 4/h --service 10h --gpus-per-job 1:60%,8:40% --gpus 192\n"
    "  gpuplan queue --arrivals 0.5/min --service 2h --target-mean-wait 10min\n"
    "  gpuplan queue --arrivals 4/h --service 10h --gpus 48 --assert 'wait.mean_s < 10min'\n"
    "  gpuplan queue --trace jobs.csv --gpus 256 --policy fcfs,easy,las\n"
    "  gpuplan queue --trace jobs.csv --gpus 256 --policy tiresias,optimus --parallel-part 0.95\n"
    "  gpuplan queue --trace jobs.csv --where partition=a100 --target-p95 4h \\\n"
    "      --columns submit=Submit,gpus=NGPU,duration=Elapsed\n"
    "  sacct -a -P -S 2026-01-01 -o JobID,State,Submit,Start,End,Elapsed,AllocTRES |\n"
    "      gpuplan queue --sacct - --gpus 256\n";

report_json inputs_of(const queue_numbers& asked) {
  report_json policies = report_json::array();
  for (const queue_policy policy : asked.policies)
    policies.push_back(spelled(policy_names, policy));
  return {{"arrivals_per_s", json_number(asked.arrival_rate)},
          {"service_s", json_number(asked.mean_service)},
          {"gpus", asked.gpus > 0 ? report_json(asked.gpus) : report_json(nullptr)},
          {"gpus_per_job", asked.gpus_per_job},
          {"arrival_scv", json_number(asked.spread.arrivals)},
          {"service_scv", json_number(asked.spread.service)},
          {"distribution", spelled(service_shapes, asked.shape)},
          {"policies", std::move(policies)}};
}

report_json inputs_of(const queue_mix& asked) {
  report_json classes = report_json::array();
  for (const gang_class& one : asked.classes)
    classes.push_back({{"gpus", one.gpus}, {"share", json_number(one.share)}});
  report_json policies = report_json::array();
  for (const named_policy* each : asked.policies) policies.push_back(each->name);
  return {{"arrivals_per_s", json_number(asked.arrival_rate)},
          {"service_s", json_number(asked.classes.front().mean_duration)},
          {"gpus", asked.gpus > 0 ? report_json(asked.gpus) : report_json(nullptr)},
          {"gpus_per_job", std::move(classes)},
          {"service_scv", json_number(asked.classes.front().variability)},
          {"policies", std::move(policies)}};
}

std::string title_of(const queue_mix& asked) {
  const gang_mix mix = mix_of(asked.classes);
  std::string title =
      fmt::format("{} x {} x {} on average: {} busy", rate_in_words(asked.arrival_rate),
                  format_duration(mix.duration), amount_of_gpus(mix.gpus, 3),
                  amount_of_gpus(asked.arrival_rate * mix.work));
  if (asked.gpus > 0) title += fmt::format(" of {}", asked.gpus);
  return title;
}

std::string title_of(const queue_numbers& asked) {
  std::string title = fmt::format("{} x {}", rate_in_words(asked.arrival_rate),
                                  format_duration(asked.mean_service));
  if (asked.gpus_per_job > 1) title += fmt::format(" x {} GPUs", asked.gpus_per_job);
  title += fmt::format(": {} busy", amount_of_gpus(asked.offered_gpus()));
  if (asked.gpus > 0) title += fmt::format(" of {}", asked.gpus);
  return title;
}

void print_answer(const queue_answer& answer, text_style style) {
  if (!answer.stable) print_lines(verdict_in_words(answer) + "\n\n");
  const bool some_start = answer.stable || (answer.never_start > 0 && !answer.nothing_fits);
  if (some_start && answer.gpus > 0 && answer.rate_known)
    print(fmt::format("Utilisation {}{}.\n\n", share_in_words(answer.utilization),
                      answer.stable ? "" : " by the jobs that can start"));
  if (!answer.models.empty()) {
    print(models_table(answer, style) + "* the row to use here\n");
    print_lines(bands_in_words(answer));
    print("\n");
  }
  if (!answer.needs.empty()) print(needs_table(answer, style) + "\n");
  if (!answer.sizes.empty()) print(sizes_table(answer, style) + "\n");
  if (!answer.policies.empty()) print(policies_table(answer, style));
  if (answer.policy_jobs > 0)
    print_lines(fmt::format(
        "Policies are compared on {} {}{}; by GPUs held, a job of 8 GPUs counts 8 times.\n",
        grouped(static_cast<double>(answer.policy_jobs)), answer.policy_jobs == 1 ? "job" : "jobs",
        answer.policy_sample ? " in a row, the busiest (--sample)" : ""));
  if (!answer.policies.empty()) print("\n");
  for (const std::string& note : answer.notes) print_lines(note + "\n");
}

/// The rows of --csv: the policies where some were asked for, else the sizes, else the models.  What
/// ranges rest on is left to JSON.
report_json rows_of(const report_json& answer, const policy_options& asked) {
  const bool of_policies = !asked.names.empty() && !answer["policies"].empty();
  report_json rows = answer[of_policies               ? "policies"
                            : answer["sizes"].empty() ? "models"
                                                      : "sizes"];
  for (report_json& row : rows) {
    row.erase("error_basis");
    if (row.contains("wait") && row["wait"].is_null())
      row["wait"] = without_values(json_of(wait_figures{}, usual_level));
  }
  return rows;
}

/// Prints an answer, and says how the program ends.
template <class Inputs>
exit_code finish(const queue_options& typed, const queue_answer& found, const std::string& head,
                 const std::string& tail, Inputs inputs) {
  report_json answer{{"schema_version", report_schema_version}};
  answer.update(json_of(found));
  answer.update(inputs());
  const exit_code checked = typed.answer.check(answer);
  if (typed.answer.as_json) {
    print_json(answer);
  } else if (typed.as_csv) {
    print(csv_of(rows_of(answer, typed.policies)));
  } else {
    print(head);
    print_answer(found, style_of_output());
    print(tail);
  }
  return found.stable ? checked : exit_infeasible;
}

/// The same question on each size that was looked at and that is large enough.
template <class Question>
std::vector<queue_answer> on_every_size(const Question& asked, const queue_answer& found) {
  std::vector<queue_answer> answers;
  for (const size_row& size : found.sizes) {
    if (!isfinite(size.wait.mean)) continue;
    Question one = asked;
    one.gpus = size.gpus;
    one.sizes = {size.gpus};
    one.targets.clear();
    answers.push_back(answer_of(one));
  }
  return answers;
}

exit_code answer_numbers(const queue_options& typed) {
  const queue_numbers asked = typed.numbers();
  const queue_answer found = answer_of(asked);
  if (!typed.html.empty())
    write_page(typed.html, page_of(title_of(asked), found, on_every_size(asked, found)));
  return finish(typed, found, bold(title_of(asked), style_of_output()) + "\n\n", "", [&] {
    return report_json{{"inputs", inputs_of(asked)}};
  });
}

exit_code answer_mix(const queue_options& typed) {
  const queue_mix asked = typed.mix();
  const queue_answer found = answer_of(asked);
  if (!typed.html.empty())
    write_page(typed.html, page_of(title_of(asked), found, on_every_size(asked, found)));
  return finish(typed, found, bold(title_of(asked), style_of_output()) + "\n\n", "", [&] {
    return report_json{{"inputs", inputs_of(asked)}};
  });
}

exit_code answer_trace(const queue_options& typed) {
  const queue_trace asked = typed.trace_question();
  const job_trace trace = read_trace_file(asked.source);
  const trace_facts facts = facts_of(trace);
  const queue_answer found = answer_of(asked, trace, facts);
  if (!typed.html.empty()) write_page(typed.html, page_of(title_of(facts, asked.gpus), found, {}));
  const auto assumptions = assumptions_of(facts, asked.gpus);
  const text_style style = style_of_output();
  return finish(typed, found,
                bold(title_of(facts, asked.gpus), style) + "\n" +
                    wrapped(counts_in_words(facts), width_of_output()) + "\n\n" +
                    assumptions_table(assumptions, style) + "\n",
                profile_table(facts, style), [&] {
                  return report_json{
                      {"jobs_that_never_start",
                       asked.gpus > 0 ? report_json(found.never_start) : report_json(nullptr)},
                      {"trace", json_of(facts)},
                      {"assumptions", json_of(assumptions)},
                      {"inputs", json_of(asked)}};
                });
}

}  // namespace

command queue_command(CLI::App& program) {
  CLI::App* options =
      program.add_subcommand("queue", "How long jobs wait, and how many GPUs keep a promise");
  options->footer(after_queue_options);
  const auto typed = std::make_shared<queue_options>();
  typed->add(*options);
  options
      ->add_flag(
          "--csv", typed->as_csv,
          "A line for each --policy where some are given, else for each size, for spreadsheets")
      ->group("Answer");
  add_html_option(*options, typed->html);
  options->get_option("--assert")
      ->description(
          "Exit with code 3 unless this condition holds, such as 'wait.p95_s < 1h' or "
          "'utilization >= 0.7'; may be repeated");

  return {options, [typed] {
            refuse_two_formats(typed->as_csv, typed->answer.as_json);
            require_page(typed->html, typed->files());
            if (typed->of_trace()) return answer_trace(*typed);
            return typed->of_mix() ? answer_mix(*typed) : answer_numbers(*typed);
          }};
}

}  // namespace gpuplan::cli
