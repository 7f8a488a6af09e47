/// \file
/// What several profiles have of runs, made into one belief beside the rates of all.

#include "calibrate/beliefs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <gpuplan/accuracy/run_class.hpp>
#include <gpuplan/api/cluster_request.hpp>
#include <gpuplan/api/job.hpp>
#include <gpuplan/calibrate/profile_reader.hpp>
#include <gpuplan/calibrate/step_belief_merge.hpp>
#include <gpuplan/compute/roofline.hpp>
#include <gpuplan/hardware/sustained_rate.hpp>
#include <gpuplan/hardware/usual_rates.hpp>
#include <gpuplan/model/precision.hpp>

#include "inputs.hpp"
#include "program.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

/// A cluster of two nodes with the rates of a profile, without factors.
cluster pool_with(const cluster_profile& rates, const std::string& gpu) {
  api::cluster_request asked{.gpu = gpu};
  asked.measured = {.file = "calibrate", .profile = rates};
  asked.measured.profile.steps = {};
  asked.gpus = 16;
  return api::cluster_of(asked);
}

/// The rates of products in the formats that runs multiplied in: the mean of their logarithms.
double log_products(const accelerator& gpu, const run_class_set& classes) {
  double sum = 0;
  int formats = 0;
  detail::each_run_class([&, seen = std::set<number_format>{}](const run_class& one) mutable {
    const number_format format = formats_of(one.format).product;
    const flop_per_second rate = sustained_rate(gpu, format);
    if (!classes.contains(one) || !(rate > flop_per_second{0}) || !seen.insert(format).second)
      return;
    sum += std::log(rate.in_base_units());
    ++formats;
  });
  if (formats > 0) return sum / formats;
  return std::log(sustained_rate(gpu, number_format::bf16).in_base_units());
}

/// Logarithms of the times by old rates over those by new ones, of each factor.
factor_values shift_between(const cluster& old_pool, const cluster& new_pool,
                            const run_class_set& classes) {
  factor_values shift{};
  const auto set = [&](step_factor what, double log_of_rates) {
    shift[static_cast<std::size_t>(what)] = log_of_rates;
  };
  const accelerator& was = old_pool.gpu();
  const accelerator& is = new_pool.gpu();
  set(step_factor::products, log_products(is, classes) - log_products(was, classes));
  set(step_factor::attention, std::log(operator_rates_of(is).attention.forward_128 /
                                       operator_rates_of(was).attention.forward_128));
  set(step_factor::memory, std::log(streaming_bandwidth(is) / streaming_bandwidth(was)));
  set(step_factor::node_messages,
      std::log(new_pool.node.scale_up.bandwidth / old_pool.node.scale_up.bandwidth));
  set(step_factor::fabric_messages,
      std::log(new_pool.node.fabric.bandwidth / old_pool.node.fabric.bandwidth));
  return shift;
}

/// Whether two profiles have the same rates and sizes.
bool have_equal_rates(cluster_profile one, cluster_profile other) {
  for (cluster_profile* each : {&one, &other}) {
    *each = rates_of(std::move(*each), {});
    each->gpu.clear();
    each->sources.clear();
    each->forced.clear();
  }
  return json_of(one) == json_of(other);
}

/// Says the factors that moved.
void say_moved(const told_belief& belief, const step_belief& before, const step_belief& after,
               std::string& said, report_json& log) {
  report_json moved = report_json::array();
  std::string names;
  for (const step_factor_row& row : step_factor_table) {
    const auto at = static_cast<std::size_t>(row.value);
    const double was = std::exp(before.log_mean[at]);
    const double is = std::exp(after.log_mean[at]);
    if (was == is) continue;
    moved.push_back({{"name", row.name}, {"factor", json_number(is)}, {"was", json_number(was)}});
    names += fmt::format("    {}: {:.3f}, was {:.3f}\n", row.help, is, was);
  }
  if (names.empty()) return;
  said += belief.file +
          ": its factors were fitted beside other rates, and are moved to those of this profile; "
          "fit the\nruns again where you have them\n" +
          names;
  log["moved_factors"] = std::move(moved);
}

/// A belief as it is beside the rates of the new profile.
cluster_profile beside_rates(const told_belief& belief, const cluster_profile& rates,
                             std::string& said, report_json& log) {
  cluster_profile moved = belief.profile;
  if (have_equal_rates(belief.profile, rates)) return moved;
  const std::string& gpu = rates.gpu.empty() ? belief.profile.gpu : rates.gpu;
  if (gpu.empty()) throw bad_usage{belief.file + ": its factors are of no GPU; give --gpu"};
  const cluster was = pool_with(belief.profile, gpu);
  const cluster is = pool_with(rates, gpu);
  if (moved.steps.runs > 0) {
    moved.steps = beside_other_rates(moved.steps, shift_between(was, is, moved.steps.classes));
    say_moved(belief, belief.profile.steps, moved.steps, said, log);
  }
  if (moved.beside_model.runs > 0) {
    const workspace listed = workspace_of(is.gpu(), framework{});
    const auto context = [&](const cluster_profile& of) {
      return of.cuda_context > bytes{0} ? of.cuda_context : listed.cuda_context;
    };
    moved.beside_model =
        beside_other_context(moved.beside_model, context(rates) - context(belief.profile));
  }
  return moved;
}

/// How the runs of two profiles lie to each other.
enum class overlap { none, all_of_later, all_of_earlier };

/// \throws bad_usage if they share some of their runs
overlap overlap_of(const std::vector<std::string>& earlier, const told_belief& later) {
  const std::set<std::string> before(earlier.begin(), earlier.end());
  const std::vector<std::string>& marks = later.profile.run_marks;
  const std::set<std::string> after(marks.begin(), marks.end());
  std::vector<std::string> shared;
  std::set_intersection(before.begin(), before.end(), after.begin(), after.end(),
                        std::back_inserter(shared));
  if (shared.empty()) return overlap::none;
  if (shared.size() == after.size()) return overlap::all_of_later;
  if (shared.size() == before.size()) return overlap::all_of_earlier;
  throw bad_usage{fmt::format(
      "{}: {} of its {} are runs of a profile before it, and would count twice; give the files of "
      "the runs instead",
      later.file, shared.size(), counted(static_cast<std::int64_t>(after.size()), "run"))};
}

/// Takes a belief beside those that a profile has.
/// \throws invalid_input if they cannot be combined
void take_belief(cluster_profile& known, const cluster_profile& more, std::string& said) {
  if (known.steps.runs > 0 && more.steps.runs > 0) {
    const int earlier = known.steps.runs;
    known.steps = combined(known.steps, more.steps);
    said += fmt::format("Combined: factors of {} and of {}\n", counted(earlier, "step time"),
                        counted(more.steps.runs, "step time"));
  } else if (more.steps.runs > 0) {
    known.steps = more.steps;
  }
  if (known.beside_model.runs > 0 && more.beside_model.runs > 0)
    known.beside_model = combined(known.beside_model, more.beside_model);
  else if (more.beside_model.runs > 0)
    known.beside_model = more.beside_model;
  known.run_marks.insert(known.run_marks.end(), more.run_marks.begin(), more.run_marks.end());
}

}  // namespace

bool is_empty(cluster_profile profile) {
  profile.gpu.clear();
  profile.sources.clear();
  return json_of(profile) == json_of(cluster_profile{});
}

cluster_profile rates_of(cluster_profile of, const std::vector<profile_source>& known) {
  of.steps = {};
  of.beside_model = {};
  of.run_marks.clear();
  std::erase_if(of.sources, [&](const profile_source& one) {
    return std::any_of(known.begin(), known.end(), [&](const profile_source& before) {
      return one.file == before.file && one.what == before.what &&
             one.time_utc == before.time_utc && one.median_error == before.median_error;
    });
  });
  return of;
}

void combine_beliefs(const std::vector<told_belief>& beliefs, cluster_profile& rates,
                     std::string& said, report_json& logs) {
  const cluster_profile beside = rates;
  for (const told_belief& one : beliefs) {
    const cluster_profile moved = beside_rates(one, beside, said, logs[one.log]);
    switch (overlap_of(rates.run_marks, one)) {
      case overlap::none: break;
      case overlap::all_of_later:
        said += one.file + ": its runs are among those of a profile before it; counted once\n";
        continue;
      case overlap::all_of_earlier:
        said += one.file + ": has the runs of the profiles before it, too; counted once\n";
        rates.steps = {};
        rates.beside_model = {};
        rates.run_marks.clear();
    }
    try {
      take_belief(rates, moved, said);
    } catch (const invalid_input& refused) {
      throw bad_usage{one.file +
                      ": cannot be combined with the profiles before it: " + refused.what()};
    }
  }
}

}  // namespace gpuplan::cli
