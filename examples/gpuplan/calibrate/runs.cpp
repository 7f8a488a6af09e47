/// \file
/// The factors of a cluster, fitted to runs that files tell of.

#include "calibrate/runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <gpuplan/calibrate/step_fit.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/report/table.hpp>
#include <gpuplan/units/format.hpp>

#include "calibrate/known_run.hpp"
#include "calibrate/words.hpp"
#include "program.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

/// Times of one job that differ by more than this contradict each other: four deviations of 3 %
/// each, between two runs.  This library's, in round numbers.
constexpr double most_repeat_ratio = 1.18;

/// Peaks of one job, seen by the same program, that differ by more than this contradict each other.
/// Each step of a job takes the same sizes from the allocator, so that what is left of a difference
/// is fragments and the driver's context: a few percent, far below a fifth.  This library's, in
/// round numbers.
constexpr double most_peak_ratio = 1.2;

/// A run farther than this from what the model, or the others and the model, say contradicts them.
constexpr double most_run_deviations = 6;

/// Where more of a step is left unexplained (one deviation), the jobs that are told are not those
/// that ran.
constexpr double most_residual = 0.2;

/// Whether two numbers > 0 differ by more than a ratio, either way.
template <class Q>
bool are_apart(const Q& one, const Q& other, double most) {
  return one / other > most || other / one > most;
}

/// Runs of one job whose times lie too far apart.
/// \throws bad_usage naming the two, unless they are taken
void require_repeatable(const std::vector<known_run>& runs, doubtful contradictions) {
  if (contradictions == doubtful::taken) return;
  std::map<std::string, const known_run*> first;
  for (const known_run& run : runs) {
    if (run.step == seconds{0}) continue;
    const auto [before, fresh] = first.emplace(run.echo, &run);
    if (fresh) continue;
    if (!are_apart(run.step, before->second->step, most_repeat_ratio)) continue;
    throw bad_usage{fmt::format(
        "{}: {} a step contradicts {} of the same job in {}; --force takes both", run.name,
        format_duration(run.step), format_duration(before->second->step), before->second->name)};
  }
}

/// The run for which a number of its check is largest.
std::size_t worst_of(const step_fit& fit, double run_check::*what) {
  std::size_t worst = 0;
  for (std::size_t i = 0; i < fit.checks.size(); ++i)
    if (std::abs(fit.checks[i].*what) > std::abs(fit.checks[worst].*what)) worst = i;
  return worst;
}

/// \throws bad_usage naming the run that is farthest off, unless it is taken
void require_consistent(const std::vector<timed_run>& runs, const step_fit& fit,
                        const step_belief& before, doubtful contradictions) {
  if (contradictions == doubtful::taken) return;
  const std::size_t far = worst_of(fit, &run_check::surprise);
  if (const double off = fit.checks[far].surprise; std::abs(off) > most_run_deviations)
    throw bad_usage{fmt::format(
        "{}: {} a step is far from the model's {}: {:.1f} deviations, more than {:.0f}; is the "
        "layout that of the run, and the time in seconds? --force takes it",
        runs[far].name, format_duration(runs[far].step),
        format_duration(step_time_of(runs[far].job, factors_of(before))), std::abs(off),
        most_run_deviations)};
  const std::size_t odd = worst_of(fit, &run_check::deviations);
  const run_check& check = fit.checks[odd];
  if (runs.size() > 1 && std::abs(check.deviations) > most_run_deviations)
    throw bad_usage{fmt::format(
        "{}: {} a step contradicts the other runs, by which it takes {}: {:.1f} deviations off, "
        "more than {:.0f}; --force takes it",
        runs[odd].name, format_duration(runs[odd].step), format_duration(check.expected),
        std::abs(check.deviations), most_run_deviations)};
  if (runs.size() > 1 && fit.belief.residual > most_residual)
    throw bad_usage{fmt::format(
        "{}: {} a step and the other runs contradict each other: no factor explains {} of their "
        "steps; is each layout that of its run? --force takes them",
        runs[odd].name, format_duration(runs[odd].step), in_percent(fit.belief.residual))};
}

std::string signed_percent(double share) {
  return fmt::format("{:+.1f} %", 100 * share);
}

/// Lines of factors that lie where nobody expected them.
std::string odd_factors_in_words(const step_belief& fitted, const step_belief& before) {
  std::string lines;
  const factor_values times = factors_of(fitted);
  for (const step_factor_row& row : step_factor_table) {
    const double factor = times[static_cast<std::size_t>(row.value)];
    const fit_interval<double> expected = bounds_of(before, row.value);
    if (factor < expected.low || factor > expected.high)
      lines += fmt::format(
          "  unusual: {} {:.2f} times as long as the model's, where {:.2f} to {:.2f} were "
          "expected; "
          "is each layout that of its run?\n",
          row.help, factor, expected.low, expected.high);
  }
  return lines;
}

/// Two tables: runs, and factors with their bounds.
std::string in_words(const std::vector<timed_run>& runs, const step_fit& fit,
                     const step_belief& before) {
  table rows{{{"Run"},
              {"Measured", column_side::right},
              {"By the model", column_side::right},
              {"Fitted", column_side::right},
              {"Off", column_side::right}}};
  for (const timed_run& run : runs) {
    const seconds model = step_time_of(run.job, factors_of(before));
    const seconds fitted = step_time_of(run.job, factors_of(fit.belief));
    rows.row({run.name, format_duration(run.step), format_duration(model), format_duration(fitted),
              signed_percent(fitted / run.step - 1)});
  }
  table factors{{{"Time over the model's"},
                 {"Factor", column_side::right},
                 {"95 %", column_side::right},
                 {"Before", column_side::right}}};
  const auto range = [](const step_belief& of, step_factor what) {
    const fit_interval<double> bounds = bounds_of(of, what);
    return fmt::format("{:.2f} to {:.2f}", bounds.low, bounds.high);
  };
  const factor_values times = factors_of(fit.belief);
  for (const step_factor_row& row : step_factor_table)
    factors.row({std::string(row.help),
                 fmt::format("{:.3f}", times[static_cast<std::size_t>(row.value)]),
                 range(fit.belief, row.value), range(before, row.value)});
  return rows.text_within(width_of_output(), text_style::plain, "  ") + "\n" +
         factors.text_within(width_of_output(), text_style::plain, "  ") +
         odd_factors_in_words(fit.belief, before) +
         fmt::format("  what no factor explains: {} of a step (one deviation)\n",
                     in_percent(fit.belief.residual));
}

report_json json_of_fit(const std::vector<timed_run>& runs, const step_fit& fit,
                        const step_belief& before) {
  report_json rows = report_json::array();
  for (std::size_t i = 0; i < runs.size(); ++i)
    rows.push_back(
        {{"name", runs[i].name},
         {"step_time_s", json_number(runs[i].step)},
         {"model_step_time_s", json_number(step_time_of(runs[i].job, factors_of(before)))},
         {"fitted_step_time_s", json_number(step_time_of(runs[i].job, factors_of(fit.belief)))},
         {"expected_step_time_s", json_number(fit.checks[i].expected)},
         {"deviations", json_number(fit.checks[i].deviations)}});
  report_json factors = report_json::array();
  const factor_values times = factors_of(fit.belief);
  for (const step_factor_row& row : step_factor_table) {
    const fit_interval<double> bounds = bounds_of(fit.belief, row.value);
    const fit_interval<double> was = bounds_of(before, row.value);
    const double factor = times[static_cast<std::size_t>(row.value)];
    factors.push_back(
        {{"name", row.name},
         {"factor", json_number(factor)},
         {"bounds", report_json::array({json_number(bounds.low), json_number(bounds.high)})},
         {"bounds_before", report_json::array({json_number(was.low), json_number(was.high)})},
         {"unusual", factor < was.low || factor > was.high}});
  }
  return {{"runs", std::move(rows)},
          {"factors", std::move(factors)},
          {"residual_deviation", json_number(fit.belief.residual)},
          {"quality", json_of_quality(fit.quality)}};
}

/// The runs whose steps were timed, those of equal jobs as one, in the geometric mean of their
/// times: a job that is run again says how far runs differ, and nothing new of the factors.
std::vector<timed_run> distinct_runs(const std::vector<known_run>& known) {
  std::map<std::string, std::vector<const known_run*>> of_job;
  std::vector<const known_run*> firsts;
  for (const known_run& run : known) {
    if (run.step == seconds{0}) continue;
    std::vector<const known_run*>& equal = of_job[run.echo];
    if (equal.empty()) firsts.push_back(&run);
    equal.push_back(&run);
  }
  std::vector<timed_run> runs;
  for (const known_run* first : firsts) {
    const std::vector<const known_run*>& equal = of_job[first->echo];
    double logarithm = 0;
    for (const known_run* run : equal) logarithm += std::log(run->step / first->step);
    const std::size_t more = equal.size() - 1;
    runs.push_back(
        {.name = first->name + (more > 0 ? fmt::format(" and {} of the same job", more) : ""),
         .job = first->job,
         .step = std::exp(logarithm / static_cast<double>(equal.size())) * first->step});
  }
  return runs;
}

/// Fits step times, where runs have some.
void fit_times(const std::vector<known_run>& known, const step_belief& before,
               doubtful contradictions, fitted_runs& all) {
  require_repeatable(known, contradictions);
  const std::vector<timed_run> runs = distinct_runs(known);
  if (runs.empty()) return;
  const step_fit fit = fit_steps(runs, before);
  require_consistent(runs, fit, before, contradictions);
  all.profile.steps = fit.belief;
  all.said += in_words(runs, fit, before);
  all.json.update(json_of_fit(runs, fit, before));
  const std::string& first = runs.front().name;
  all.profile.sources.push_back(
      {.file = first.substr(0, first.find(':')),
       .what = "step times of " + counted(static_cast<std::int64_t>(runs.size()), "run"),
       .median_error = fit.quality.median,
       .p90_error = fit.quality.p90});
}

/// Whether the peaks ask for less than nothing of a job's CUDA context.
bool is_bound_by_context(const framework_memory& fit, const std::vector<peak_run>& peaks) {
  return std::any_of(peaks.begin(), peaks.end(), [&](const peak_run& one) {
    return one.job.workspace.cuda_context + fit.extra <= bytes{0};
  });
}

/// The peaks of runs, one for each job: that which holds the most beside tensors, as equal jobs and
/// other programs that saw the same run tell nothing new of other jobs.  In the mean of equal runs.
std::vector<peak_run> distinct_peaks(const std::vector<known_run>& known) {
  std::map<std::string, std::pair<peak_run, std::vector<bytes>>> of_job;
  std::vector<const std::string*> jobs;
  for (const known_run& run : known)
    for (const told_peak& one : run.peaks) {
      const auto [place, fresh] = of_job.try_emplace(run.echo);
      if (fresh) jobs.push_back(&place->first);
      auto& [peak, sizes] = place->second;
      if (!fresh && one.by < peak.by) continue;
      if (fresh || one.by > peak.by) {
        peak = {.name = run.name, .job = run.job, .by = one.by};
        sizes.clear();
      }
      sizes.push_back(one.size);
    }
  std::vector<peak_run> peaks;
  for (const std::string* job : jobs) {
    auto& [peak, sizes] = of_job.at(*job);
    bytes sum{};
    for (const bytes size : sizes) sum += size;
    peak.peak = sum / static_cast<double>(sizes.size());
    peaks.push_back(std::move(peak));
  }
  return peaks;
}

/// Peaks that no run of their job can have, on the stage that the model has as the fullest: it holds
/// its weights for certain.
/// \throws bad_usage naming the run
void require_possible_peaks(const std::vector<known_run>& runs) {
  for (const known_run& run : runs) {
    if (run.peaks.empty()) continue;
    const step_job& job = run.job;
    const bytes weights = footprint_of(job.model, job.recipe, job.parallelism, job.workspace)
                              .worst_stage()
                              .states.weights;
    for (const told_peak& one : run.peaks) {
      if (one.size > job.pool.gpu().memory)
        throw bad_usage{fmt::format("{}: the peak of {} is more than the {} that the GPU has",
                                    run.name, sized(one.size), sized(job.pool.gpu().memory))};
      if (one.size < weights)
        throw bad_usage{fmt::format(
            "{}: the peak of {} is less than the {} that its weights alone take; is the layout "
            "that of the run?",
            run.name, sized(one.size), sized(weights))};
    }
  }
}

/// Runs of one job whose peaks lie too far apart.
/// \throws bad_usage naming the two, unless they are taken
void require_repeatable_peaks(const std::vector<known_run>& runs, doubtful contradictions) {
  if (contradictions == doubtful::taken) return;
  std::map<std::pair<std::string, peak_seen_by>, std::pair<const known_run*, bytes>> first;
  for (const known_run& run : runs)
    for (const told_peak& one : run.peaks) {
      const auto [before, fresh] =
          first.try_emplace(std::pair{run.echo, one.by}, std::pair{&run, one.size});
      const auto& [other, size] = before->second;
      if (fresh || !are_apart(one.size, size, most_peak_ratio)) continue;
      throw bad_usage{
          fmt::format("{}: the peak of {} contradicts {} of the same job in {}; --force takes both",
                      run.name, sized(one.size), sized(size), other->name)};
    }
}

/// Fits peaks of memory, where runs have some.
void fit_peaks(const std::vector<known_run>& known, const framework_memory& before,
               doubtful contradictions, fitted_runs& all) {
  require_possible_peaks(known);
  require_repeatable_peaks(known, contradictions);
  const std::vector<peak_run> peaks = distinct_peaks(known);
  if (peaks.empty()) return;
  const framework_memory fit = fit_framework_memory(peaks, before);
  all.profile.beside_model = fit;
  const double half = deviations_at(fit_level) * fit.deviation.in_base_units();
  const double extra = fit.extra.in_base_units();
  all.said += fmt::format(
      "  memory beside the model's: {:+.2f} GB (95 %: {:+.2f} to {:+.2f}), of {}\n", extra / 1e9,
      (extra - half) / 1e9, (extra + half) / 1e9, counted(fit.runs, "peak"));
  all.said += fmt::format("  what it does not explain: {} of a peak (one deviation)\n",
                          in_percent(fit.residual));
  if (fit.extra < bytes{0} && is_bound_by_context(fit, peaks))
    all.said +=
        "  unusual: the model counts more than was seen, by more than the CUDA context, of which "
        "it is taken\n";
  all.json["framework_memory"] = {
      {"peaks", fit.runs},
      {"extra_bytes", json_number(fit.extra)},
      {"bounds_bytes", report_json::array({json_number(extra - half), json_number(extra + half)})},
      {"residual_deviation", json_number(fit.residual)}};
}

}  // namespace

fitted_runs fit_runs(const std::vector<told_run>& runs, const cluster_profile& known,
                     doubtful contradictions) {
  fitted_runs all{.profile = {}, .said = {}, .json = report_json::object()};
  std::vector<known_run> resolved;
  cluster_profile base = known;
  for (const told_run& run : runs) {
    known_run one = resolved_run(run, base);
    base.gpu = one.gpu;
    resolved.push_back(std::move(one));
  }
  all.profile.gpu = base.gpu;
  const std::vector<repeated_run> repeats = take_repeats(resolved, known.run_marks);
  all.said += in_words(repeats);
  fit_times(resolved, known.steps.runs > 0 ? known.steps : usual_step_belief(), contradictions,
            all);
  fit_peaks(resolved, known.beside_model.runs > 0 ? known.beside_model : usual_framework_memory(),
            contradictions, all);
  for (const known_run& run : resolved) all.profile.run_marks.push_back(run.mark);
  all.json["repeated"] = json_of_repeats(repeats);
  return all;
}

}  // namespace gpuplan::cli
