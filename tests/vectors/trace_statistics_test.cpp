#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gpuplan/calibrate/arrival_fit.hpp>
#include <gpuplan/calibrate/gpu_mix.hpp>
#include <gpuplan/calibrate/service_fit.hpp>
#include <gpuplan/calibrate/service_moments.hpp>

#include "support/catch.hpp"
#include "support/traces.hpp"
#include "support/vectors.hpp"

namespace gpuplan {
namespace {

using namespace units;

TEST_CASE("statistics of recorded traces are those of another program", "[calibrate][reference]") {
  if (!testing::have_traces()) {
    WARN(testing::no_traces);
    return;
  }
  const nlohmann::json truth = testing::load_vectors("trace_truth");
  for (const auto& [name, set] : truth.at("traces").items()) {
    INFO(name);
    const nlohmann::json& stats = set.at("stats");
    const auto close = [&stats](const char* field, double ours, double relative = 1e-11) {
      INFO(field);
      CHECK_THAT(ours, WithinRel(stats.at(field).get<double>(), relative));
    };
    const std::vector<trace_job> jobs = testing::trace_of(set);
    REQUIRE(static_cast<double>(jobs.size()) == stats.at("jobs").get<double>());

    close("lambda_per_s", arrival_rate(jobs) * second);
    close("interarrival_scv", interarrival_variation(jobs));
    constexpr std::array<std::pair<const char*, seconds>, 6> windows{{{"60s", 1 * minute},
                                                                      {"600s", 10 * minute},
                                                                      {"1h", 1 * hour},
                                                                      {"6h", 6 * hour},
                                                                      {"1d", 1 * day},
                                                                      {"7d", 1 * week}}};
    for (const auto& [key, window] : windows) {
      INFO(key);
      const auto& counts = stats.at("idc_counts");
      if (counts.contains(key))
        CHECK_THAT(dispersion(jobs, window), WithinRel(counts.at(key).get<double>(), 1e-9));
    }

    const service_moments service = service_moments_of(jobs);
    close("service_mean_s", service.mean / second);
    close("service_scv", service.squared_variation());
    close("service_E2", service.second / (second * second));
    close("service_E3", service.third / (second * second * second));
    close("log_service_mean", service.log_mean);
    close("log_service_sd", service.log_deviation);

    const gpu_mix mix = gpu_mix_of(jobs);
    close("gpus_mean", mix.moments.gpus);
    close("work_mean_gpu_s", mix.moments.work / second);
    close("work_scv", mix.work_variation());
    const double correlation = stats.at("corr_log_service_log_gpus");
    CHECK(std::abs(mix.log_correlation - correlation) <= 1e-11);
    close("offered_gpus", offered_gpus(jobs));
    close("offered_jobs_erlang", arrival_rate(jobs) * mix.moments.duration);
    close("peakedness_iid_Eb2S_over_EbS", mix.moments.peakedness());
    REQUIRE(mix.classes.size() == stats.at("gpu_mix").size());
    for (const gpu_class& of : mix.classes) {
      const std::string key = std::to_string(of.gpus);
      INFO(key);
      CHECK(std::abs(of.jobs / mix.jobs - stats.at("gpu_mix").at(key).get<double>()) <= 5e-9);
      CHECK_THAT(of.mean / second,
                 WithinRel(stats.at("mean_service_by_gpus").at(key).get<double>(), 1e-11));
      CHECK(std::abs(of.squared_variation() -
                     stats.at("scv_service_by_gpus").at(key).get<double>()) <=
            1e-9 * (1 + of.squared_variation()));
    }
  }
}

TEST_CASE("recorded durations follow no law: what is likely has another variation",
          "[calibrate][reference]") {
  if (!testing::have_traces()) {
    WARN(testing::no_traces);
    return;
  }
  const nlohmann::json truth = testing::load_vectors("trace_truth");
  const auto jobs = testing::trace_of(truth.at("traces").at("philly_all"));
  const service_fit fit = fit_service(durations_of(jobs));
  CHECK(fit.family() == service_family::empirical);
  CHECK(fit.candidates.front().family == service_family::lognormal);
  CHECK(fit.candidates.front().variation > 2 * fit.variation);
  CHECK(fit.candidates.front().distance > 0.05);
  CHECK(fit.variation_interval.holds(41.338));

  // Most of the work is that of one job in a hundred.
  CHECK(longest_share(jobs, 0.01) > 0.5);
  CHECK_FALSE(duration_doubts_of(jobs).clamped());
  const auto venus =
      read_trace(testing::read_text(testing::traces_folder() / "helios_venus_2020.csv"));
  CHECK(venus.counts.jobs == 125161);
  CHECK(venus.counts.faulty == 0);
  const duration_doubts doubts = duration_doubts_of(venus.jobs);
  CHECK(doubts.clamped());
  CHECK(doubts.longest == 48 * hour);
  CHECK(std::abs(static_cast<double>(doubts.at_longest) / 125161 - 0.019) < 0.0005);
}

}  // namespace
}  // namespace gpuplan
