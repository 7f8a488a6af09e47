#pragma once
/// \file
/// A whole run of a plan: its time with failures, what it costs, what it emits.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/accuracy/error_band.hpp>
#include <gpuplan/hardware/price.hpp>
#include <gpuplan/plan/budget.hpp>
#include <gpuplan/plan/rental.hpp>
#include <gpuplan/plan/run.hpp>
#include <gpuplan/plan/run_with_failures.hpp>
#include <gpuplan/plan/search_space.hpp>
#include <gpuplan/report/table.hpp>
#include <gpuplan/units/units.hpp>

#include "program.hpp"
#include "request.hpp"

namespace CLI {
class App;
}

namespace gpuplan::cli {

/// Terms on which GPUs are rented, and who says what they cost.
struct priced_rental {
  rental terms{};
  const price* listed = nullptr;  ///< null where the user says it
};

/// What a run depends on beside its plan.
struct run_terms {
  tokens trained{};
  bool trained_given = false;
  std::string trained_from{};     ///< what the tokens are counted from, where they are not given
  std::optional<double> samples;  ///< where they are counted from a data set
  std::optional<double> epochs;   ///< likewise
  run_prices prices{};            ///< of the GPU: on demand; 0 where that is not known
  std::vector<priced_rental> rentals;  ///< on demand, reserved and spot, those that have a price
  seconds node_mtbf{};                 ///< of one node
  bool mtbf_given = false;
  bytes_per_second checkpoint_bandwidth_of_node{};
  std::optional<bytes_per_second> checkpoint_bandwidth;  ///< of the storage, where it is given
  seconds restart{};
  grams_per_joule grid{};

  bool price_known = false;  ///< of a GPU, on demand

  [[nodiscard]] bool priced() const { return price_known; }
};

/// What of it the user says, as typed; empty where not given.
struct run_options {
  std::string trained, samples, epochs, price, reserved, spot, provider, term, reclaim, electricity,
      usage_effectiveness, node_mtbf, checkpoint_bandwidth, restart, grid;

  void add(CLI::App& command);
  /// \throws bad_usage or invalid_input
  [[nodiscard]] run_terms read(const job& asked) const;
};

/// A run on some terms of rental.
struct rented_forecast {
  priced_rental on;
  rented_run run{};
};

/// What becomes of a run.
struct run_forecast {
  run_estimate ideal{};  ///< without failures and checkpoints
  run_estimate whole{};  ///< with them
  failing_run time{};
  checkpoint_policy policy{};
  bytes checkpoint{};
  grams carbon{};
  std::vector<rented_forecast> rentals;
};

/// Whether a price of that kind is known.
bool has_rental(const run_terms& terms, price_kind kind);
/// Whether the catalogue has a price of a type of GPU, on any terms.
bool has_listed_price(std::string_view gpu);
/// The price on demand that a list has; null where the user says it, or none is known.
const price* listed_price(const run_terms& terms);

run_forecast forecast_of(const plan& chosen, const job& asked, const run_terms& terms);

/// What is not known is null.
/// Time and cost have the band of a step.
report_json json_of(const run_forecast& run, const run_terms& terms, watts gpu_power,
                    const error_band& step);
report_json json_of(const run_terms& terms);

/// "$868,932", "$1.25 million".
std::string money(dollars sum);
/// "244.3 MWh", "12.1 kWh".
std::string energy_in_words(joules energy);
/// "115.5 t", "3.2 kg".
std::string carbon_in_words(grams carbon);
/// "264 d 3 h", "never" where it is infinite.
std::string duration_or_never(seconds time);
/// "$2.49": of a GPU hour on demand; "unknown" without a price.
std::string hourly_in_words(const run_terms& terms);
/// What a run costs on demand; "unknown" without a price.
std::string cost_in_words(const run_forecast& run, const run_terms& terms);

/// The run as a table, with what it rests on.
std::string run_text(const run_forecast& run, const plan& chosen, const run_terms& terms,
                     const error_band& step, const run_limits& limits, text_style style);

}  // namespace gpuplan::cli
