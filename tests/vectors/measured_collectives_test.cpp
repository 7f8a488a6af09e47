// measured_collectives.json: its fits of three numbers, by the model that they are fits of.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/calibrate/collective_fit.hpp>
#include <gpuplan/calibrate/transfer_curve.hpp>
#include <gpuplan/comm/bandwidth.hpp>
#include <gpuplan/comm/pipelined_link.hpp>

#include "support/catch.hpp"
#include "support/vectors.hpp"

namespace gpuplan::testing {
namespace {

using namespace units;
using nlohmann::json;

std::size_t count_above(const std::vector<double>& values, double goal) {
  return static_cast<std::size_t>(
      std::count_if(values.begin(), values.end(), [&](double value) { return value > goal; }));
}

/// Whether `part` of the values are at most the goal: exactly where it was stated of these rows,
/// else as far as chance allows.  Of `alike` rows each tells only as much as one.
bool is_met(const std::vector<double>& values, double part, double goal, double alike = 1) {
  if (are_own_vectors()) return quantile_of(values, part) <= goal;
  const auto independent =
      static_cast<std::size_t>(static_cast<double>(values.size()) / std::max(alike, 1.0));
  return static_cast<double>(count_above(values, goal)) <=
         std::max(alike, 1.0) * static_cast<double>(most_that_miss(independent, 1 - part));
}

/// The middle one, of two in the middle the larger: as the file has it.
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The errors of each sweep's curve at sizes left out of it.
using sweep_errors = std::vector<std::vector<double>>;

/// Each size in turn, but the first and the last, from all others of its sweep.
std::vector<double> errors_of_left_out(const std::vector<transfer_sample>& samples, double apart) {
  std::vector<double> errors;
  for (const transfer_sample& one : samples) {
    std::vector<transfer_sample> others;
    bool smaller = false;
    bool larger = false;
    for (const transfer_sample& other : samples) {
      if (other.message == one.message) continue;
      others.push_back(other);
      const double ratio = other.message / one.message;
      smaller = smaller || (ratio < 1 && ratio * apart > 1);
      larger = larger || (ratio > 1 && ratio < apart);
    }
    if (!smaller || !larger) continue;
    errors.push_back(std::abs(transfer_curve{others}.time(one.message) / one.time - 1));
  }
  return errors;
}

/// Samples of each sweep that has four of them or more.
std::vector<std::vector<transfer_sample>> samples_of(const json& table) {
  std::vector<std::vector<transfer_sample>> all;
  for (const json& sweep : table.at("datasets")) {
    std::vector<transfer_sample> samples;
    for (const json& row : sweep.at("rows"))
      if (row.at("bytes").get<double>() > 0)
        samples.push_back(
            {row.at("bytes").get<double>() * byte, row.at("time_us").get<double>() * us});
    if (samples.size() >= 4) all.push_back(std::move(samples));
  }
  return all;
}

/// By how much the misses of a goal gather in some sweeps: the design effect
///
///     d = k/(k - 1)  sum (x_i - p n_i)^2 / (n p (1 - p))
///
/// of k sweeps with x_i misses among n_i rows, p misses for each of all n rows.  A share of misses
/// among whole sweeps spreads as among n/d independent rows.
///
/// Source: L. Kish, "Survey Sampling", Wiley (1965), chapter 8.
double design_effect(const sweep_errors& sweeps, double goal) {
  double rows = 0;
  double misses = 0;
  for (const auto& errors : sweeps) {
    rows += static_cast<double>(errors.size());
    misses += static_cast<double>(count_above(errors, goal));
  }
  const double share = misses / rows;
  double squares = 0;
  for (const auto& errors : sweeps)
    squares += std::pow(
        static_cast<double>(count_above(errors, goal)) - share * static_cast<double>(errors.size()),
        2);
  const auto k = static_cast<double>(sweeps.size());
  return k / (k - 1) * squares / (rows * share * (1 - share));
}

TEST_CASE("measured_collectives.json: no measured sweep is a poor fit", "[comm][vectors]") {
  for (const std::vector<transfer_sample>& samples :
       samples_of(load_own_vectors("measured_collectives")))
    CHECK(fault_of(fit_collective(samples, collective_form::alpha_beta)) != curve_fault::poor);
}

TEST_CASE("measured_collectives.json: fits are as far off as they say", "[comm][vectors]") {
  const json table = load_vectors("measured_collectives");
  int fits = 0;
  for (const json& sweep : table.at("datasets")) {
    if (!sweep.contains("fit_affine_plus_sqrt")) continue;
    INFO(sweep.at("hardware"));
    const json& fit = sweep["fit_affine_plus_sqrt"];
    // c sqrt(m) = 2 sqrt(f m / B).
    const double c = fit.at("c_sqrt_us_per_sqrtB").get<double>() * 1e-6;
    const bytes_per_second rate = fit.at("asymptotic_algbw_GBps").get<double>() * GB / second;
    const pipelined_link link{.latency = fit.at("t0_us").get<double>() * us,
                              .fill = c * c * second * second / byte * rate / 4,
                              .bandwidth = rate};
    std::vector<double> errors;
    for (const json& row : sweep.at("rows")) {
      const seconds measured = row.at("time_us").get<double>() * us;
      const seconds said = pipelined_time(link, row.at("bytes").get<double>() * byte).total();
      errors.push_back(std::abs(said / measured - 1));
    }
    // Rates are printed to 3 digits after the point, errors to 4.
    const double printed = 2e-4 + 0.0005 * (GB / second) / rate;
    const double middle = fit.at("median_rel_err").get<double>();
    const double most = fit.at("max_rel_err").get<double>();
    ++fits;
    CHECK(*std::max_element(errors.begin(), errors.end()) <= most + printed);
    if (are_own_vectors()) {
      CHECK_THAT(median(errors), Catch::Matchers::WithinAbs(middle, printed));
      CHECK(*std::max_element(errors.begin(), errors.end()) >= most - printed);
      continue;
    }
    // Other vectors may lack rows of the sweep: about half of those left are on either side.
    CHECK(is_met(errors, 0.5, middle + printed));
    for (double& error : errors) error = -error;
    CHECK(is_met(errors, 0.5, printed - middle));
  }
  CHECK((fits > 0 || !are_own_vectors()));
}

TEST_CASE("measured_collectives.json: bandwidths are those of the times", "[comm][vectors]") {
  const std::map<std::string, collective> names{
      {"all_reduce", collective::all_reduce}, {"reduce_scatter", collective::reduce_scatter},
      {"all_gather", collective::all_gather}, {"alltoall", collective::all_to_all},
      {"broadcast", collective::broadcast},   {"reduce", collective::reduce}};
  const json table = load_vectors("measured_collectives");
  for (const json& sweep : table.at("datasets")) {
    INFO(sweep.at("hardware"));
    const collective what = names.at(sweep.at("op").get<std::string>());
    std::size_t off = 0;
    for (const json& row : sweep.at("rows")) {
      const double printed = row.at("busbw").get<double>();
      const double ours =
          bus_bandwidth(what, sweep.at("n").get<int>(), row.at("bytes").get<double>() * byte,
                        row.at("time_us").get<double>() * us) /
          (GB / second);
      if (std::abs(ours - printed) > 0.006 + 0.006 * printed) ++off;
    }
    CHECK(off <= sweep.value("inconsistent_rows", std::size_t{0}));
  }
}

TEST_CASE("measured_collectives.json: curves foretell the sizes left out of them",
          "[calibrate][vectors]") {
  // Of other vectors sizes may be missing: a neighbour is one as near as in a sweep by 2.
  const double apart = are_own_vectors() ? HUGE_VAL : 2.5;
  std::vector<double> of_fit;
  std::vector<double> left_out;
  for (const auto& samples : samples_of(load_vectors("measured_collectives"))) {
    of_fit.push_back(fit_collective(samples).quality.median);
    const std::vector<double> errors = errors_of_left_out(samples, apart);
    left_out.insert(left_out.end(), errors.begin(), errors.end());
  }
  REQUIRE((left_out.size() > 100 || !are_own_vectors()));
  if (!is_judged(left_out.size()) || !is_judged(of_fit.size())) return;
  sweep_errors own;
  for (const auto& samples : samples_of(load_own_vectors("measured_collectives")))
    own.push_back(errors_of_left_out(samples, HUGE_VAL));
  const double alike = design_effect(own, 0.15);
  INFO("median " << quantile_of(left_out, 0.5) << ", p90 " << quantile_of(left_out, 0.9)
                 << "; median of three numbers fitted " << quantile_of(of_fit, 0.5) << "; " << alike
                 << " rows of a sweep tell as much as one");
  CHECK(alike > 1);
  CHECK(alike < 10);
  CHECK(is_met(left_out, 0.5, 0.05, design_effect(own, 0.05)));
  CHECK(is_met(left_out, 0.9, 0.15, alike));
  CHECK(is_met(of_fit, 0.5, 0.05));
}

}  // namespace
}  // namespace gpuplan::testing
