/// \file
/// gpuplan scale: what more GPUs buy, from one to all.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/report/json.hpp>
#include <gpuplan/report/table.hpp>
#include <gpuplan/scaling/karp_flatt.hpp>
#include <gpuplan/units/format.hpp>

#include "bands.hpp"
#include "command_words.hpp"
#include "fitted_table.hpp"
#include "html_file.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "plan/answer.hpp"
#include "plan/space.hpp"
#include "profile_effect.hpp"
#include "program.hpp"
#include "scale/curve.hpp"
#include "scale/page.hpp"
#include "summary.hpp"
#include "task.hpp"

namespace gpuplan::cli {
namespace {

constexpr const char* after_scale_options =
    "The best plan, by search, of 1, 2, 4, ... GPUs, of --gpus, and of the fewest on which the "
    "job\n"
    "fits.  Strong scaling keeps the batch of a step (--fixed-batch), weak scaling the sequences "
    "of\n"
    "each GPU (--batch-per-gpu).  Efficiency is against the smallest size that fits.\n"
    "\n"
    "A regime says what limits a size:\n"
    "  does not fit         no layout fits into the memory\n"
    "  memory-bound         each GPU of a larger size does more, because it has more free memory\n"
    "  near-linear          each GPU does at least 90 % of its work at the best size\n"
    "  communication-bound  below that; messages cause most of the loss\n"
    "  coordination-bound   below that; waiting for the slowest replica does\n"
    "  batch-starved        below that; idle GPUs, pipeline bubbles and small kernels do\n"
    "\n"
    "Exit code 4 where no size fits.\n"
    "\n"
    "Examples:\n"
    "  gpuplan scale llama-3-8b --gpu H100 --gpus 1024\n"
    "  gpuplan scale llama-3-8b --gpu H100 --gpus 1024 --batch-per-gpu 8\n"
    "  gpuplan scale gpt3-175b --gpu A100-80GB --gpus 4096 --fixed-batch 1536 --csv\n"
    "  gpuplan scale llama-3-8b --gpu H100 --gpus 1024 --html scale.html\n";

/// The largest size: a sweep tries each layout of each power of two up to it.
constexpr std::int64_t most_gpus_scaled = 1'048'576;

struct scale_options {
  job_options job;
  band_options bands;
  answer_options answer;
  std::string fixed_batch, batch_per_gpu, html, task;
  bool as_csv = false;
};

struct scale_question {
  job asked;
  space vary;
  scaling_batch batch;
  double level = usual_level;  ///< of the bands
};

scale_question question_of(scale_options typed) {
  if (!typed.fixed_batch.empty() && !typed.batch_per_gpu.empty())
    throw bad_usage{"give --fixed-batch or --batch-per-gpu, not both"};
  if (typed.as_csv && typed.answer.as_json) throw bad_usage{"give --csv or --json, not both"};
  scale_question q;
  q.vary = space_of(typed.job);
  q.vary.keep = 1;
  typed.bands.set(q.vary);
  q.level = typed.bands.level_asked();
  const std::int64_t gpus = whole_number(typed.job.cluster["gpus"], "--gpus", 1, most_gpus_scaled);
  std::int64_t sequences = (default_sequences + gpus - 1) / gpus * gpus;
  const bool batch_typed = !typed.fixed_batch.empty() || !typed.batch_per_gpu.empty();
  if (batch_typed) typed.job.recipe["global_batch_size"] = "1";  // set below, and by no task
  take_task(typed.task, typed.job, static_cast<int>(gpus));
  if (const std::string& usual = typed.job.recipe["global_batch_size"]; !usual.empty())
    sequences = whole_number(usual, "--fixed-batch", 1, most_ranks);
  if (!typed.fixed_batch.empty())
    sequences = whole_number(typed.fixed_batch, "--fixed-batch", 1, most_ranks);
  if (!typed.batch_per_gpu.empty()) {
    q.batch.kind = scaling_kind::weak;
    sequences = whole_number(typed.batch_per_gpu, "--batch-per-gpu", 1, most_ranks);
  }
  q.batch.sequences = static_cast<int>(sequences);
  const bool weak = q.batch.kind == scaling_kind::weak;
  if (weak && sequences * gpus > most_ranks)
    throw bad_usage{"--batch-per-gpu x --gpus must be <= " + std::to_string(most_ranks)};
  typed.job.recipe["global_batch_size"] = std::to_string(weak ? sequences * gpus : sequences);
  q.asked = typed.job.resolved(recompute_of(q.vary));
  typed.job.refuse_idle_of_cluster(q.asked);
  typed.job.refuse_idle_of_one_gpu(q.asked);
  return q;
}

/// Points of one regime, side by side.
struct regime_span {
  scaling_regime regime{};
  int from = 0;
  int to = 0;
};

std::vector<regime_span> spans_of(const scaling_curve& curve) {
  std::vector<regime_span> spans;
  for (const scaling_point& point : curve.points) {
    if (spans.empty() || spans.back().regime != point.regime)
      spans.push_back({point.regime, point.gpus, point.gpus});
    spans.back().to = point.gpus;
  }
  return spans;
}

/// What Amdahl's law would have to call serial to explain a point; null where it is the first.
report_json serial_part(const scaling_point& point) {
  const scaling_efficiency& e = point.efficiency;
  return e.devices > 1 ? json_number(karp_flatt(e.speed_up, e.devices)) : nullptr;
}

report_json row_of(const scaling_point& point, const scale_question& q) {
  report_json row{{"gpus", point.gpus},
                  {"global_batch_size", point.batch},
                  {"fits", point.best.has_value()},
                  {"regime", name_of(point.regime)},
                  {"step_time_s", nullptr},
                  {"step_time_low_s", nullptr},
                  {"step_time_high_s", nullptr},
                  {"fits_probability", nullptr},
                  {"error_basis", nullptr},
                  {"tokens_per_s", nullptr},
                  {"tokens_per_s_of_gpu", nullptr},
                  {"speedup", nullptr},
                  {"efficiency", nullptr},
                  {"serial_part", nullptr},
                  {"mfu", nullptr},
                  {"communication_share", nullptr},
                  {"waiting_share", nullptr},
                  {"binding", nullptr},
                  {"reason", nullptr},
                  {"rejected", nullptr},
                  {"gpus_used", nullptr},
                  {"needed_bytes", nullptr},
                  {"recipe", nullptr},
                  {"parallelism", nullptr}};
  if (point.refusal) row["reason"] = name_of(point.refusal.reason);
  if (point.miss) row["rejected"] = gpuplan::json_of(point.refusal);
  const auto& closest = point.best ? point.best : point.miss;
  if (!closest) return row;
  const estimate_bands bands = bands_of(closest->what, q.asked, q.level);
  row["needed_bytes"] = json_number(closest->what.needed);
  row["fits_probability"] = json_number(bands.fits_probability);
  if (!point.best) return row;
  const plan& best = *point.best;
  row["error_basis"] = gpuplan::json_of(bands, q.level);
  row["step_time_s"] = json_number(point.step());
  row["step_time_low_s"] = json_number(bands.step.low * point.step());
  row["step_time_high_s"] = json_number(bands.step.high * point.step());
  row["tokens_per_s"] = json_number(best.what.throughput());
  row["tokens_per_s_of_gpu"] = json_number(point.of_gpu());
  row["speedup"] = json_number(point.efficiency.speed_up);
  row["efficiency"] = json_number(point.efficiency.value());
  row["serial_part"] = serial_part(point);
  row["mfu"] = json_number(best.what.model_flop_utilization());
  row["communication_share"] = json_number(point.communication());
  row["waiting_share"] = json_number(point.waiting());
  row["binding"] = name_of(best.what.time.binding());
  row["gpus_used"] = best.what.gpus;
  row["recipe"] = gpuplan::json_of(best.recipe());
  row["parallelism"] = gpuplan::json_of(best.parallelism());
  return row;
}

report_json gpus_at(const scaling_curve& curve, const std::optional<std::size_t>& at) {
  return at ? report_json(curve.points[*at].gpus) : report_json(nullptr);
}

/// What the profile does to the best layout of the largest size that has one.
std::optional<calibration_effect> effect_on(const scaling_curve& curve, const job& asked) {
  const auto found = std::find_if(curve.points.rbegin(), curve.points.rend(),
                                  [](const scaling_point& point) { return point.best; });
  if (found == curve.points.rend()) return std::nullopt;
  job sized = asked;
  sized.asked.gpus = found->gpus;
  sized.pool = cluster_of(sized.asked);
  return effect_of(sized, found->best->recipe(), found->best->parallelism());
}

report_json answer_of(const scaling_curve& curve, const scale_question& q) {
  const bool weak = curve.batch.kind == scaling_kind::weak;
  report_json answer{{"schema_version", report_schema_version},
                     {"scaling", weak ? "weak" : "strong"},
                     {"fits", curve.smallest.has_value()},
                     {"smallest_gpus_that_fit", gpus_at(curve, curve.smallest)},
                     {"most_efficient_gpus", gpus_at(curve, curve.most_efficient)},
                     {"reason", nullptr},
                     {"points", report_json::array()},
                     {"regimes", report_json::array()}};
  if (!curve.smallest) answer["reason"] = name_of(curve.points.back().refusal.reason);
  for (const scaling_point& point : curve.points) answer["points"].push_back(row_of(point, q));
  for (const regime_span& span : spans_of(curve))
    answer["regimes"].push_back(
        {{"regime", name_of(span.regime)}, {"from_gpus", span.from}, {"to_gpus", span.to}});
  answer["risks"] = json_of(curve.risks, {.asked = q.asked, .vary = q.vary, .level = q.level});
  answer["calibration"] = json_of(effect_on(curve, q.asked));
  answer["task"] = json_of_task(q.asked);
  answer["inputs"] = json_of(q.asked);
  answer["inputs"]["searched"] = json_of(q.vary);
  answer["inputs"][weak ? "batch_per_gpu" : "fixed_batch"] = curve.batch.sequences;
  return answer;
}

/// The fields of a point that are no objects, as they are called in JSON.
void print_csv(const scaling_curve& curve, const scale_question& q) {
  bool titled = false;
  for (const scaling_point& point : curve.points) {
    std::string titles;
    std::string cells;
    const report_json row = row_of(point, q);
    for (const auto& [key, value] : row.items()) {
      if (key == "recipe" || key == "parallelism" || key == "error_basis" || key == "rejected")
        continue;
      const char* comma = titles.empty() ? "" : ",";
      titles += comma + key;
      cells += comma + (value.is_null()     ? std::string{}
                        : value.is_string() ? value.get<std::string>()
                                            : value.dump());
    }
    if (point.best)
      cells +=
          fmt::format(",\"{}\"", layout_in_words(point.best->recipe(), point.best->parallelism()));
    else
      cells += ",";
    if (!titled) print(titles + ",layout\n");
    titled = true;
    print(cells + "\n");
  }
}

std::string need_in_words(const estimate& miss, const accelerator& gpu) {
  if (miss.refusal.reason == reject_reason::host_memory)
    return fmt::format("{} of host memory needed", sized(bytes{miss.refusal.needed}));
  return fmt::format("{} needed{}", sized(miss.needed),
                     miss.needed > gpu.memory ? "" : ", more than --risk and --headroom leave");
}

/// Of the best layout, or of the closest miss.
std::string chance_of_fitting(const scaling_point& point, const scale_question& q) {
  const auto& closest = point.best ? point.best : point.miss;
  if (!closest) return {};
  const double chance = bands_of(closest->what, q.asked, q.level).fits_probability;
  return point.best ? chance_of_plan(chance) : chance_in_cell(chance);
}

/// A row for each size.
std::string sizes_table(const scaling_curve& curve, const scale_question& q, text_style style) {
  fitted_table rows{{{"GPUs", column_side::right},
                     {"Step", column_side::right},
                     {level_in_words(q.level), column_side::right},
                     {"Tokens/s", column_side::right},
                     {"Efficiency", column_side::right},
                     {"MFU", column_side::right},
                     {"Fits", column_side::right},
                     {"Messages", column_side::right},
                     {"Waiting", column_side::right},
                     {"Bound by"},
                     {"Regime"},
                     {"Layout"}}};
  for (const scaling_point& point : curve.points) {
    if (!point.best) {
      rows.row({std::to_string(point.gpus), "", "", "", "", "", chance_of_fitting(point, q), "", "",
                "", std::string(in_words(point.regime)),
                point.miss ? need_in_words(point.miss->what, q.asked.pool.gpu())
                           : std::string(describe(point.refusal.reason))});
      continue;
    }
    const plan& best = *point.best;
    std::string layout = layout_in_words(best.recipe(), best.parallelism());
    if (best.what.gpus < point.gpus)
      layout += fmt::format(", {} idle", point.gpus - best.what.gpus);
    const error_band step = bands_of(best.what, q.asked, q.level).step;
    rows.row({std::to_string(point.gpus), format_duration(point.step()),
              fmt::format("{} to {}", format_duration(step.low * point.step()),
                          format_duration(step.high * point.step())),
              fmt::format("{:.4g}", best.what.throughput() * units::second / units::token),
              percent(point.efficiency.value()), percent(best.what.model_flop_utilization()),
              chance_of_fitting(point, q), percent(point.communication()), percent(point.waiting()),
              std::string(title_of(best.what.time.binding())), std::string(in_words(point.regime)),
              layout});
  }
  const std::string range = level_in_words(q.level);
  const std::array<std::string_view, 5> spare{range, "Regime", "Waiting", "Messages", "Bound by"};
  return rows.text(spare, width_of_output(), style);
}

/// Why, of the largest size, where most would fit.
std::string nothing_fits_in_words(const scaling_curve& curve, const scale_question& q) {
  const scaling_point& last = curve.points.back();
  const std::string why =
      last.miss ? "the closest layout does not: " + miss_in_words(last.miss->what, q.asked)
                : "most layouts break one rule: " + std::string(describe(last.refusal.reason));
  return fmt::format(
      "Nothing fits on any of these sizes. On {} {}. gpuplan plan with --gpus {} says what to "
      "change.",
      counted(last.gpus, "GPU"), why, last.gpus);
}

void print_for_people(const scaling_curve& curve, const scale_question& q) {
  const text_style style = style_of_output();
  const bool weak = curve.batch.kind == scaling_kind::weak;
  print(bold(wrapped(job_in_words(q.asked), width_of_output()), style) + "\n" +
        wrapped(task_in_words(q.asked), width_of_output()));
  const std::string sequences = counted(curve.batch.sequences, "sequence");
  print(weak ? fmt::format("Weak scaling: {} a step for each GPU, on every size.\n\n", sequences)
             : fmt::format("Strong scaling: {} a step on every size.\n\n", sequences));
  print(sizes_table(curve, q, style));
  if (!curve.smallest) {
    print("\n" + wrapped(nothing_fits_in_words(curve, q), width_of_output()) + "\n");
    return;
  }
  print("\n");
  for (const regime_span& span : spans_of(curve))
    print(span.from == span.to
              ? fmt::format("{}: {}\n", span.from, in_words(span.regime))
              : fmt::format("{} to {}: {}\n", span.from, span.to, in_words(span.regime)));
  if (std::any_of(curve.points.begin(), curve.points.end(),
                  [](const scaling_point& p) { return p.best && p.efficiency.more_than_linear(); }))
    print("Above 100 %: the smallest size that fits has little memory to spare.\n");
  print_lines(warning_of_power_limit(q.asked));
  const scaling_point& last = curve.points.back();
  if (!weak && last.best && last.efficiency.devices > 1) {
    const double serial = karp_flatt(last.efficiency.speed_up, last.efficiency.devices);
    if (serial > 0)
      print_lines(
          fmt::format("By Amdahl's law {} behave as if {:.2g} % of the work of {} were serial.\n",
                      counted(last.gpus, "GPU"), 100 * serial, curve.points[*curve.smallest].gpus));
  }
  if (const std::string risks = risks_in_words(curve); !risks.empty()) print_lines(risks + "\n");
  print_lines(warning_of_experts(q.asked));
  if (const auto effect = effect_on(curve, q.asked)) print("\n" + effect_tables(*effect, style));
}

}  // namespace

command scale_command(CLI::App& program) {
  CLI::App* options = program.add_subcommand("scale", "What more GPUs buy: efficiency by size");
  options->footer(after_scale_options);
  const auto typed = std::make_shared<scale_options>();
  typed->job.add_model(*options);
  typed->job.add_cluster(*options);
  options->get_option("--gpus")->required()->description("The largest size");
  add_task_option(*options, typed->task);
  typed->job.add_training(*options, fields_searched());
  options->remove_option(options->get_option("--batch"));
  const auto add = [&](const char* name, std::string& text, const char* what) {
    options->add_option(name, text, what)->group("Batch");
  };
  add("--fixed-batch", typed->fixed_batch,
      "Strong scaling: sequences of a step on every size [1024, made a multiple of the GPUs]");
  add("--batch-per-gpu", typed->batch_per_gpu, "Weak scaling: sequences of a step for each GPU");
  typed->job.add_workspace(*options);
  typed->bands.add_risk(*options);
  typed->bands.add_level(*options);
  typed->answer.add(*options);
  options->add_flag("--csv", typed->as_csv, "A line for each size, for spreadsheets")
      ->group("Answer");
  add_html_option(*options, typed->html);

  return {options, [typed, options] {
            require_page(typed->html, typed->job.files());
            const scale_question q = question_of(*typed);
            const scaling_curve curve = [&] {
              const progress shown{"gpuplan: searching"};
              return scaling_of(q.asked, q.vary, q.batch);
            }();
            if (!typed->html.empty()) {
              html_page page = page_of(curve, q.asked, q.level);
              page.facts.push_back({"Command", words_of(*options).text()});
              write_page(typed->html, page);
            }
            const bool wants_json = typed->answer.as_json || !typed->answer.assertions.empty();
            const report_json answer = wants_json ? answer_of(curve, q) : report_json();
            if (typed->answer.as_json)
              print_json(answer);
            else if (typed->as_csv)
              print_csv(curve, q);
            else
              print_for_people(curve, q);
            const exit_code checked = typed->answer.check(answer);
            return curve.smallest ? checked : exit_infeasible;
          }};
}

}  // namespace gpuplan::cli
