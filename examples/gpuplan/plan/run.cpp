/// \file
/// A whole run of a plan.

#include "plan/run.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/ceiling.hpp>
#include <gpuplan/hardware/catalog_prices.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/plan/carbon.hpp>
#include <gpuplan/plan/checkpoint_size.hpp>
#include <gpuplan/plan/failures.hpp>
#include <gpuplan/plan/training_task.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/text/visible.hpp>
#include <gpuplan/units/format.hpp>

#include "inputs.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

/// Mean time between failures of one GPU with its share of the node: 5.8 years.
///
/// Source: Llama Team, "The Llama 3 Herd of Models" (2024), section 3.3.4, arXiv:2407.21783: 419
/// unexpected interruptions in 54 days of 16 384 H100.
const seconds default_gpu_mtbf = observed_mtbf(54 * units::day, 16384, 419);

/// What a node writes of a checkpoint: 273 GB/s by 384 nodes.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), section 5.10, arXiv:2104.04473.
constexpr bytes_per_second default_checkpoint_bandwidth = 273.0 / 384 * (units::GB / units::second);

/// From a failure to computing again, the checkpoint's reading apart: an assumption.
constexpr seconds default_restart = 10 * units::minute;

/// How long a spot instance stays: Google ends preemptible instances after a day at the latest.
///
/// Source: Google, "Preemptible VM instances", cloud.google.com/compute/docs/instances/preemptible.
constexpr seconds default_reclaim = 1 * units::day;

/// Reserved GPUs are paid by whole days, as AWS Capacity Blocks are.
constexpr seconds default_term = 1 * units::day;

/// Of the world's electricity in 2024.
///
/// Source: Ember, "Global Electricity Review 2025" (2025): 473 g of CO2 for a kilowatt-hour.
constexpr grams_per_joule default_grid = 473 * units::gram / units::kWh;

std::string_view in_words(price_kind kind) {
  switch (kind) {
    case price_kind::on_demand: return "on demand";
    case price_kind::reserved: return "reserved";
    case price_kind::spot: return "spot";
  }
  return "";
}

std::string_view key_of(price_kind kind) {
  return kind == price_kind::on_demand ? "on_demand" : in_words(kind);
}

constexpr seconds longest = 1e9 * 365 * units::day;

template <class Q>
Q quantity_or(const std::string& typed, const char* option, Q otherwise) {
  return typed.empty() ? otherwise : quantity_of<Q>(typed, option);
}

/// Of these a run's sums stay finite; `in_words` says what `most` is.
template <class Q>
Q bounded_or(const std::string& typed, const char* option, Q otherwise, Q most,
             const char* in_words) {
  const Q value = quantity_or(typed, option, otherwise);
  if (!(value >= Q{0} && value <= most))
    throw bad_usage{std::string(option) + " must be 0 to " + in_words};
  return value;
}

/// Refuses a sum of money as the price of a GPU.
void require_per_time(const std::string& typed, const char* option) {
  if (typed.empty() || parse<dollars_per_second>(typed) || !parse<dollars>(typed)) return;
  throw bad_usage{fmt::format("{}: '{}' is a sum, and '/h' is missing; write it as '{}/h'", option,
                              visible(typed), visible(typed))};
}

/// Refuses a provider of which the catalogue has no price.
void require_provider(const std::string& typed) {
  std::vector<std::string_view> known;
  for (const price& one : catalog::prices) {
    if (is_of_provider(one, typed)) return;
    if (std::find(known.begin(), known.end(), one.provider) == known.end())
      known.push_back(one.provider);
  }
  std::string list;
  for (const std::string_view one : known) list += (list.empty() ? "" : "; ") + std::string(one);
  throw bad_usage{"--provider must be one of: " + list + "; not " + shown(nlohmann::json(typed))};
}

/// A time above zero.
seconds time_or(const std::string& typed, const char* option, seconds otherwise) {
  const seconds time = quantity_or(typed, option, otherwise);
  if (!(time > seconds{0})) throw bad_usage{std::string(option) + " must be > 0 s"};
  if (!(time <= longest)) throw bad_usage{std::string(option) + " must be <= 1e9 years"};
  return time;
}

/// Tokens of passes over a data set, as options and the task say.
void count_samples(const run_options& typed, const job& asked, const task_data& usual,
                   run_terms& terms) {
  constexpr double most = 1e15;
  if (typed.samples.empty() && usual.samples == 0)
    throw bad_usage{"--epochs needs --samples, the sequences of the data set"};
  terms.samples = typed.samples.empty()
                      ? usual.samples
                      : static_cast<double>(whole_number(typed.samples, "--samples", 1,
                                                         static_cast<std::int64_t>(most)));
  terms.epochs =
      typed.epochs.empty() ? usual.epochs : plain_number(typed.epochs, "--epochs", 1e-6, 1e6);
  const recipe& how = asked.recipe;
  terms.trained = tokens_of_samples(*terms.samples, *terms.epochs, how.sequences_per_sample,
                                    how.sequence_length);
  const std::string_view of = how.sequences_per_sample == 1   ? "samples"
                              : how.sequences_per_sample == 2 ? "pairs"
                                                              : "groups";
  terms.trained_from = fmt::format("{} {} x {:g} {}", grouped(*terms.samples), of, *terms.epochs,
                                   *terms.epochs == 1 ? "epoch" : "epochs");
  if (typed.samples.empty()) terms.trained_from += "; --samples and --epochs change it";
}

/// The tokens of a run: those given, those of a data set, those of the task, or so many for each
/// parameter.
void read_trained(const run_options& typed, const job& asked, run_terms& terms) {
  const task_data usual = rule_of(asked.task ? asked.task->task : training_task::pretrain).data;
  terms.trained_given = !typed.trained.empty();
  const bool counted = !typed.samples.empty() || !typed.epochs.empty();
  if (terms.trained_given && counted)
    throw bad_usage{"give --tokens, or --samples and --epochs, not both"};
  if (terms.trained_given) {
    terms.trained = quantity_of<tokens>(typed.trained, "--tokens");
    if (!(terms.trained >= 1 * units::token)) throw bad_usage{"--tokens must be >= 1"};
  } else if (counted || usual.samples > 0) {
    count_samples(typed, asked, usual, terms);
  } else if (usual.trained > tokens{0}) {
    terms.trained = usual.trained;
    terms.trained_from =
        fmt::format("usual for --task {}; --tokens changes it", name_of(asked.task->task));
  } else {
    terms.trained = usual.tokens_per_parameter * parameters_of(asked.model).total() * units::token;
    terms.trained_from =
        fmt::format("{:g} per parameter; --tokens changes it", usual.tokens_per_parameter);
  }
}

/// "$2.49 a GPU hour (Lambda, 2026 Q1)"; of another list than the usual price, what that asks on
/// demand, too.
std::string rate_in_words(const priced_rental& one, bool elsewhere) {
  const auto hourly = [](dollars_per_second rate) {
    return fmt::format("${:.2f}", rate * units::hour / units::dollar);
  };
  std::string words = hourly(one.terms.rate) + " a GPU hour";
  if (one.listed == nullptr) return words;
  const std::string_view date = one.listed->date;
  words += fmt::format(" ({}, {}", one.listed->provider, date.substr(0, date.find(',')));
  const price* there = price_beside(catalog::prices, *one.listed, price_kind::on_demand);
  if (elsewhere && there != nullptr)
    words += fmt::format("; {} there on demand", hourly(there->rate));
  return words + ")";
}

/// "on demand $897,855 ($790,000 to $1.02 million), at $2.49 a GPU hour (Lambda, 2026 Q1)".
std::string rental_in_words(const rented_forecast& one, const error_band& step,
                            const run_limits& limits, bool elsewhere) {
  constexpr double hopeless = 100;  // times the work
  const seconds time = one.run.time.total();
  if (!(time < hopeless * one.run.time.work))
    return std::string(in_words(one.on.terms.kind)) + ": interrupted too often to make progress";
  std::string words =
      fmt::format("{} {} ({} to {}), at {}", in_words(one.on.terms.kind), money(one.run.cost),
                  money(step.low * one.run.cost), money(step.high * one.run.cost),
                  rate_in_words(one.on, elsewhere));
  if (one.on.terms.kind == price_kind::spot)
    words += fmt::format(", in {}", duration_or_never(time));
  if (time > limits.deadline) words += ": after the deadline";
  if (one.run.cost > limits.budget) words += ": over the budget";
  return words;
}

/// The rows of what a run costs: on the terms of one list, and of others.
void add_costs(table& rows, const run_forecast& run, const run_terms& terms, const error_band& step,
               const run_limits& limits) {
  const price* usual = nullptr;
  for (const rented_forecast& one : run.rentals)
    if (one.on.terms.kind == price_kind::on_demand) usual = one.on.listed;
  for (const bool elsewhere : {false, true}) {
    bool first = true;
    for (const rented_forecast& one : run.rentals) {
      const price* listed = one.on.listed;
      const bool own = listed == nullptr || listed == usual ||
                       (usual != nullptr && of_one_list(*listed, *usual));
      if (own == elsewhere) continue;
      rows.row({!first      ? ""
                : elsewhere ? "cost elsewhere"
                            : "cost",
                rental_in_words(one, step, limits, elsewhere)});
      first = false;
    }
  }
  if (!terms.priced())
    rows.row(
        {run.rentals.empty() ? "cost" : "", "unknown on demand: no price is known; give --price"});
}

}  // namespace

void run_options::add(CLI::App& command) {
  const auto add = [&](const char* name, std::string& text, const char* what) {
    return command.add_option(name, text, what)->group("Run");
  };
  add("--tokens", trained,
      "Tokens to train on, such as 15T or 300B [20 per parameter, or the task's]");
  add("--samples", samples,
      "Sequences of a data set, or pairs of chosen and rejected, in the place of --tokens");
  add("--epochs", epochs, "Passes over the samples [1, or the task's]");
  add("--price", price, "On-demand price of a GPU, such as '$2.50/h' [lowest of the catalogue]");
  add("--reserved-price", reserved, "Price of a reserved GPU");
  add("--spot-price", spot, "Price of a spot GPU");
  add("--provider", provider, "Whose prices are taken from the catalogue, as Nebius or AWS [any]");
  add("--term", term, "Reserved GPUs are paid in whole terms of this length [1d]");
  add("--reclaim", reclaim, "Mean time until the provider takes a spot node back [1d]");
  add("--electricity", electricity,
      "Price, such as '$0.12/kWh' [included in the price of the GPU]");
  add("--pue", usage_effectiveness, "Power of the site over the power of its GPUs [1]");
  add("--grid", grid, "Emissions of the electricity [473g/kWh, the world's mean of 2024]");
  add("--node-mtbf", node_mtbf,
      "Mean time between failures of a node [264d for 8 GPUs, as of Llama 3 405B]");
  add("--checkpoint-bandwidth", checkpoint_bandwidth,
      "Write bandwidth of the storage, all writers together [0.71GB/s a node]");
  add("--restart", restart,
      "Time from a failure to the restart, without reading the checkpoint [10min]");
}

run_terms run_options::read(const job& asked) const {
  run_terms terms;
  read_trained(*this, asked, terms);
  if (!(terms.trained > tokens{0} && terms.trained <= 1e30 * units::token))
    throw bad_usage{"--tokens must be > 0 and <= 1e30"};

  if (!provider.empty()) require_provider(provider);
  const seconds until_reclaimed = time_or(reclaim, "--reclaim", default_reclaim);
  const seconds whole = time_or(term, "--term", default_term);
  const auto rent = [&](price_kind kind, const std::string& typed, const char* option) {
    priced_rental one{.terms = {.kind = kind, .term = whole, .until_reclaimed = until_reclaimed}};
    require_per_time(typed, option);
    if (!typed.empty())
      one.terms.rate = bounded_or(typed, option, dollars_per_second{0},
                                  1e6 * units::dollar / units::hour, "$1M/h");
    else if ((one.listed = lowest_current_price(catalog::prices, asked.asked.gpu, kind,
                                                provider)) != nullptr)
      one.terms.rate = one.listed->rate;
    const bool known = !typed.empty() || one.listed != nullptr;
    if (known) terms.rentals.push_back(one);
    if (kind != price_kind::on_demand) return;
    terms.prices.gpu = one.terms.rate;
    terms.price_known = known;
  };
  rent(price_kind::on_demand, price, "--price");
  rent(price_kind::reserved, reserved, "--reserved-price");
  rent(price_kind::spot, spot, "--spot-price");

  terms.prices.electricity = bounded_or(electricity, "--electricity", dollars_per_joule{0},
                                        1e6 * units::dollar / units::kWh, "$1M/kWh");
  if (!usage_effectiveness.empty())
    terms.prices.power_usage_effectiveness = plain_number(usage_effectiveness, "--pue", 1, 100);
  terms.mtbf_given = !node_mtbf.empty();
  terms.node_mtbf = time_or(node_mtbf, "--node-mtbf", default_gpu_mtbf / asked.asked.gpus_per_node);
  terms.checkpoint_bandwidth_of_node = default_checkpoint_bandwidth;
  if (!checkpoint_bandwidth.empty()) {
    terms.checkpoint_bandwidth =
        quantity_of<bytes_per_second>(checkpoint_bandwidth, "--checkpoint-bandwidth");
    if (!(*terms.checkpoint_bandwidth >= bytes_per_second{1}))
      throw bad_usage{"--checkpoint-bandwidth must be >= 1 B/s"};
  }
  terms.restart = bounded_or(restart, "--restart", default_restart, longest, "1e9 years");
  terms.grid =
      bounded_or(grid, "--grid", default_grid, 1e6 * units::gram / units::kWh, "1000 kg/kWh");
  return terms;
}

run_forecast forecast_of(const plan& chosen, const job& asked, const run_terms& terms) {
  run_forecast run;
  run.ideal = training_run(chosen.what, terms.trained, terms.prices);
  const std::int64_t gpus = chosen.what.gpus;
  const double nodes = gpuplan::ceiling(static_cast<double>(gpus) / asked.asked.gpus_per_node);
  run.checkpoint = checkpoint_size(asked.model, chosen.recipe());
  const seconds write = checkpoint_time(
      run.checkpoint,
      terms.checkpoint_bandwidth.value_or(nodes * terms.checkpoint_bandwidth_of_node));
  run.policy =
      best_checkpoint_policy(write, terms.restart + write, job_mtbf(terms.node_mtbf, nodes));
  run.policy.interval = smaller(run.policy.interval, run.ideal.time);
  run.time = run_with_failures(run.ideal.time, run.policy);
  run.whole = with_failures(run.ideal, run.time);
  run.carbon = operational_carbon(run.whole.energy, terms.grid);
  for (const priced_rental& one : terms.rentals)
    run.rentals.push_back(
        {one, rental_run(one.terms, {.gpus = gpus,
                                     .gpus_per_instance = asked.asked.gpus_per_node,
                                     .work = run.ideal.time,
                                     .write = write,
                                     .restart = run.policy.restart,
                                     .instance_mtbf = terms.node_mtbf})});
  return run;
}

namespace {

/// The ends of the bands of time and cost, which are as long and as dear as steps are; null where
/// they are not known.
void add_ranges(report_json& run, const error_band& step) {
  const auto add = [&](const char* key, const char* low, const char* high) {
    const report_json& value = run[key];
    const bool known = value.is_number();
    run[low] = known ? json_number(step.low * value.get<double>()) : report_json(nullptr);
    run[high] = known ? json_number(step.high * value.get<double>()) : report_json(nullptr);
  };
  add("time_s", "time_low_s", "time_high_s");
  add("cost_dollars", "cost_low_dollars", "cost_high_dollars");
}

}  // namespace

report_json json_of(const run_forecast& run, const run_terms& terms, watts gpu_power,
                    const error_band& step) {
  const bool drawn = gpu_power > watts{0};
  const bool included = terms.prices.electricity == dollars_per_joule{0};
  const run_knowledge known{.gpu_cost = terms.priced(),
                            .energy = drawn,
                            .energy_cost = included ? terms.priced() : drawn};
  report_json rentals = report_json::array();
  for (const rented_forecast& one : run.rentals) {
    rentals.push_back(
        {{"terms", key_of(one.on.terms.kind)},
         {"gpu_price_dollars_per_s", json_number(one.on.terms.rate)},
         {"source", one.on.listed != nullptr ? report_json(one.on.listed->source) : nullptr},
         {"date", one.on.listed != nullptr ? report_json(one.on.listed->date) : nullptr},
         {"time_s", json_number(one.run.time.total())},
         {"gpu_time_s", json_number(one.run.gpu_time)},
         {"cost_dollars", json_number(one.run.cost)},
         {"interruptions", json_number(one.run.time.interruptions)},
         {"effective_training_time", json_number(one.run.time.effective_training_time())}});
    add_ranges(rentals.back(), step);
  }
  report_json answer = gpuplan::json_of(run.ideal, known);
  answer["with_failures"] = gpuplan::json_of(run.whole, known);
  answer["with_failures"].erase("steps");
  add_ranges(answer["with_failures"], step);
  answer["carbon_grams"] = drawn ? json_number(run.carbon) : report_json(nullptr);
  answer["failures"] = {
      {"job_mtbf_s", json_number(run.policy.mtbf)},
      {"interruptions", json_number(run.time.interruptions)},
      {"checkpoint_bytes", json_number(run.checkpoint)},
      {"checkpoint_write_s", json_number(run.policy.write)},
      {"checkpoint_interval_s", json_number(run.policy.interval)},
      {"restart_s", json_number(run.policy.restart)},
      {"work_s", json_number(run.time.work)},
      {"checkpoints_s", json_number(run.time.checkpoints)},
      {"rework_s", json_number(run.time.rework)},
      {"restarts_s", json_number(run.time.restarts)},
      {"effective_training_time", json_number(run.time.effective_training_time())}};
  answer["rentals"] = std::move(rentals);
  return answer;
}

bool has_rental(const run_terms& terms, price_kind kind) {
  return std::any_of(terms.rentals.begin(), terms.rentals.end(),
                     [&](const priced_rental& one) { return one.terms.kind == kind; });
}

bool has_listed_price(std::string_view gpu) {
  return std::any_of(catalog::prices.begin(), catalog::prices.end(),
                     [&](const price& one) { return same_name(one.accelerator, gpu); });
}

const price* listed_price(const run_terms& terms) {
  const price* listed = nullptr;
  for (const priced_rental& one : terms.rentals)
    if (one.terms.kind == price_kind::on_demand) listed = one.listed;
  return listed;
}

report_json json_of(const run_terms& terms) {
  const price* const listed = listed_price(terms);
  return {
      {"tokens", json_number(terms.trained)},
      {"samples", terms.samples ? json_number(*terms.samples) : report_json(nullptr)},
      {"epochs", terms.epochs ? json_number(*terms.epochs) : report_json(nullptr)},
      {"gpu_price_dollars_per_s",
       terms.priced() ? json_number(terms.prices.gpu) : report_json(nullptr)},
      {"gpu_price_source", listed != nullptr ? report_json(listed->source) : nullptr},
      {"electricity_dollars_per_joule", json_number(terms.prices.electricity)},
      {"power_usage_effectiveness", terms.prices.power_usage_effectiveness},
      {"grid_grams_per_joule", json_number(terms.grid)},
      {"node_mtbf_s", json_number(terms.node_mtbf)},
      {"checkpoint_bandwidth_bytes_per_s",
       terms.checkpoint_bandwidth ? json_number(*terms.checkpoint_bandwidth) : nullptr},
      {"checkpoint_bandwidth_of_node_bytes_per_s", json_number(terms.checkpoint_bandwidth_of_node)},
      {"restart_s", json_number(terms.restart)}};
}

std::string money(dollars sum) {
  const double x = sum / units::dollar;
  if (!(x < std::numeric_limits<double>::infinity())) return "unbounded";
  if (x < 100) return fmt::format("${:.2f}", x);
  return x < 1e6 ? "$" + grouped(x) : fmt::format("${:.2f} million", x / 1e6);
}

std::string energy_in_words(joules energy) {
  if (energy >= units::GWh) return fmt::format("{:.4g} GWh", energy / units::GWh);
  const bool large = energy >= units::MWh;
  return fmt::format("{:.4g} {}", energy / (large ? units::MWh : units::kWh),
                     large ? "MWh" : "kWh");
}

std::string carbon_in_words(grams carbon) {
  if (carbon >= 1000 * units::tonne) return grouped(carbon / units::tonne) + " t";
  const bool large = carbon >= units::tonne;
  return fmt::format("{:.3g} {}", carbon / (large ? units::tonne : units::kg), large ? "t" : "kg");
}

std::string duration_or_never(seconds time) {
  return isfinite(time) ? format_duration(time) : "never";
}

std::string hourly_in_words(const run_terms& terms) {
  return terms.priced() ? fmt::format("${:.2f}", terms.prices.gpu * units::hour / units::dollar)
                        : "unknown";
}

std::string cost_in_words(const run_forecast& run, const run_terms& terms) {
  return terms.priced() ? money(run.whole.cost()) : "unknown";
}

std::string run_text(const run_forecast& run, const plan& chosen, const run_terms& terms,
                     const error_band& step, const run_limits& limits, text_style style) {
  table rows{{{"The whole run"}, {""}}};
  const double gpus = static_cast<double>(chosen.what.gpus);
  rows.row(
      {"tokens", fmt::format("{:.4g}{} in {} {}, {:.4g} ({:.4g} a GPU)", terms.trained,
                             terms.trained_given ? std::string{} : " (" + terms.trained_from + ")",
                             grouped(run.ideal.steps), run.ideal.steps == 1 ? "step" : "steps",
                             chosen.what.throughput(), chosen.what.throughput() / gpus)});
  const std::string checkpoints =
      fmt::format("a checkpoint of {:.4g} every {}, written in {}", run.checkpoint,
                  format_duration(run.policy.interval), format_duration(run.policy.write));
  if (!isfinite(run.whole.time)) {
    rows.row({"time", fmt::format("never ends: {} of training, and a failure every {} with {}",
                                  format_duration(run.ideal.time), format_duration(run.policy.mtbf),
                                  checkpoints)});
    return rows.text_within(width_of_output(), style);
  }
  rows.row(
      {"time",
       fmt::format("{} ({} to {}) with failures and checkpoints; {} without, goodput {:.4g} %",
                   format_duration(run.whole.time), format_duration(step.low * run.whole.time),
                   format_duration(step.high * run.whole.time), format_duration(run.ideal.time),
                   100 * (run.time.work / run.time.total()))});
  const bool some = run.time.interruptions >= 0.01;
  rows.row(
      {"failures", fmt::format("{}, one every {}; {}",
                               some ? fmt::format("{:.3g}", run.time.interruptions) : "almost none",
                               format_duration(run.policy.mtbf), checkpoints)});
  const double gpu_hours = run.whole.gpu_time / units::hour;
  rows.row({"GPU hours", gpu_hours < 100 ? fmt::format("{:.3g}", gpu_hours) : grouped(gpu_hours)});
  add_costs(rows, run, terms, step, limits);
  if (run.whole.energy_cost > dollars{0}) rows.row({"electricity", money(run.whole.energy_cost)});
  const watts each = chosen.what.gpu_power;
  if (each == watts{0}) rows.row({"energy", "unknown: no power of this GPU is published"});
  if (each > watts{0})
    rows.row({"energy",
              fmt::format("{}, at most ({:.0f} W each); {} of CO2e at {:.0f} g a kWh",
                          energy_in_words(run.whole.energy), each / units::watt,
                          carbon_in_words(run.carbon), terms.grid / (units::gram / units::kWh))});
  return rows.text_within(width_of_output(), style);
}

}  // namespace gpuplan::cli
