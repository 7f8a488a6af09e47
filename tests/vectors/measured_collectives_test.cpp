// measured_collectives.json: its fits of three numbers, by the model that they are fits of.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
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

/// The middle one, of two in the middle the larger: as the file has it.
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

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
    CHECK_THAT(median(errors),
               Catch::Matchers::WithinAbs(fit.at("median_rel_err").get<double>(), printed));
    CHECK_THAT(*std::max_element(errors.begin(), errors.end()),
               Catch::Matchers::WithinAbs(fit.at("max_rel_err").get<double>(), printed));
    ++fits;
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
  // Each size in turn, but the first and the last, from all others of its sweep.
  std::vector<double> of_fit;
  std::vector<double> left_out;
  const json table = load_vectors("measured_collectives");
  for (const json& sweep : table.at("datasets")) {
    std::vector<transfer_sample> samples;
    for (const json& row : sweep.at("rows"))
      if (row.at("bytes").get<double>() > 0)
        samples.push_back(
            {row.at("bytes").get<double>() * byte, row.at("time_us").get<double>() * us});
    if (samples.size() < 4) continue;
    of_fit.push_back(fit_collective(samples).quality.median);
    for (const transfer_sample& one : samples) {
      std::vector<transfer_sample> others;
      bool smaller = false;
      bool larger = false;
      for (const transfer_sample& other : samples) {
        if (other.message == one.message) continue;
        others.push_back(other);
        // Of other vectors sizes may be missing: a neighbour is one as near as in a sweep by 2.
        const double apart = are_own_vectors() ? HUGE_VAL : 2.5;
        const double ratio = other.message / one.message;
        smaller = smaller || (ratio < 1 && ratio * apart > 1);
        larger = larger || (ratio > 1 && ratio < apart);
      }
      if (!smaller || !larger) continue;
      left_out.push_back(std::abs(transfer_curve{others}.time(one.message) / one.time - 1));
    }
  }
  REQUIRE((left_out.size() > 100 || !are_own_vectors()));
  if (!is_judged(left_out.size()) || !is_judged(of_fit.size())) return;
  INFO("median " << quantile_of(left_out, 0.5) << ", p90 " << quantile_of(left_out, 0.9)
                 << "; median of three numbers fitted " << quantile_of(of_fit, 0.5));
  const double more = sampling(left_out.size());
  CHECK(quantile_of(left_out, 0.5) <= more * 0.05);
  CHECK(quantile_of(left_out, 0.9) <= more * 0.15);
  CHECK(quantile_of(of_fit, 0.5) <= sampling(of_fit.size()) * 0.05);
}

}  // namespace gpuplan::testing
