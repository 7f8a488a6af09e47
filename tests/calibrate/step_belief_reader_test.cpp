#include <gpuplan/calibrate/step_belief_reader.hpp>

#include <string>
#include <utility>
#include <vector>

#include <gpuplan/calibrate/profile.hpp>
#include <gpuplan/calibrate/profile_reader.hpp>

#include "support/catch.hpp"
#include "support/timed_runs.hpp"

namespace gpuplan {
namespace {

using namespace units;

run_belief of_three_runs() {
  std::vector<timed_run> runs;
  for (const step_job& job : testing::varied_jobs())
    runs.push_back(testing::run_of(job, unit_factors, 1.03));
  return {.steps = fit_steps(runs).belief,
          .beside_model = {.extra = -1.5 * GB, .deviation = 0.25 * GB, .runs = 2}};
}

TEST_CASE("what runs told is read back as it was written", "[calibrate]") {
  const run_belief told = of_three_runs();
  const auto again = [](const run_belief& of) {
    return read_run_belief(nlohmann::json::parse(json_of(of).dump()), "p.runs");
  };
  CHECK(again(told).steps == told.steps);
  CHECK(again(told).beside_model == told.beside_model);
  CHECK(again({.steps = told.steps}).beside_model.runs == 0);
  CHECK(again({.beside_model = told.beside_model}).steps.runs == 0);
  CHECK(again({.steps = told.steps, .marks = {"1f", "2e"}}).marks ==
        std::vector<std::string>{"1f", "2e"});
  CHECK(json_of(run_belief{}).empty());
}

TEST_CASE("classes of runs are read back by their names", "[calibrate]") {
  const auto again = [](const run_class_set& set) {
    const nlohmann::json object{{"classes", detail::names_of_classes(set)}};
    return detail::classes_of(object, "p.runs");
  };
  run_class_set all;
  int place = 0;
  detail::each_run_class([&](const run_class& one) {
    all.insert(one);
    run_class_set set;
    set.insert(one);
    if (place++ % 89 == 0) CHECK(again(set) == set);  // of each field every value
  });
  CHECK(again(all) == all);
  // Names of before attention and sequences were told apart count for nothing.
  const nlohmann::json older{{"classes", {"dense transformer_engine mixed_bf16 8 or fewer"}}};
  CHECK(detail::classes_of(older, "p.runs") == run_class_set{});
}

TEST_CASE("a profile applies its runs beside its rates", "[calibrate]") {
  const run_belief told = of_three_runs();
  const cluster_profile profile{
      .memory_bandwidth = 3 * TB / second, .steps = told.steps, .beside_model = told.beside_model};
  const cluster_profile read = read_profile(json_of(profile).dump(), "profile.json");
  CHECK(read.steps == told.steps);
  CHECK(read.beside_model == told.beside_model);
  const cluster pool = testing::sixteen_h100();
  const cluster rates = calibrated(pool, {.memory_bandwidth = 3 * TB / second});
  const cluster both = calibrated(pool, read);
  const cluster factors = with_factors(rates, factors_of(told.steps));
  CHECK(both.gpu().achieved_memory_bandwidth == factors.gpu().achieved_memory_bandwidth);
  CHECK(both.gpu().achieved_memory_bandwidth < rates.gpu().achieved_memory_bandwidth);
  CHECK(both.node.layer_host == factors.node.layer_host);
  CHECK(both.node.layer_host > 1);
  const workspace usual{};
  CHECK(calibrated(usual, read).cuda_context == bytes{0});
  CHECK(calibrated(usual, cluster_profile{}).cuda_context == usual.cuda_context);
  const cluster_profile later = merged(profile, {.memory = 79 * GiB});
  CHECK(later.steps == told.steps);
  CHECK(merged({}, profile).beside_model == told.beside_model);
  const cluster_profile marked = merged({.run_marks = {"1f"}}, {.run_marks = {"2e"}});
  CHECK(marked.run_marks == std::vector<std::string>{"1f", "2e"});
  CHECK(read_profile(json_of(marked).dump(), "profile.json").run_marks == marked.run_marks);
}

TEST_CASE("runs that are garbled are refused in one line", "[calibrate]") {
  const nlohmann::json good = nlohmann::json::parse(json_of(of_three_runs()).dump());
  const auto refused = [&](const char* pointer, const nlohmann::json& value, const char* words) {
    nlohmann::json bad = good;
    bad[nlohmann::json::json_pointer(pointer)] = value;
    INFO(pointer << " " << value);
    try {
      static_cast<void>(read_run_belief(bad, "p.runs"));
      FAIL("was read");
    } catch (const invalid_input& fault) {
      CHECK_THAT(fault.what(),
                 Catch::Matchers::StartsWith("p.runs") && Catch::Matchers::Contains(words));
      CHECK(std::string(fault.what()).find('\n') == std::string::npos);
    }
  };
  refused("/step_times", 0, "p.runs.step_times");
  refused("/step_times", 1.5, "whole");
  refused("/residual_deviation", 0, "residual_deviation");
  refused("/residual_deviation", "x", "must be a number");
  refused("/log_factors", 5, "must be an object");
  refused("/log_factors/products", 8, "log_factors.products");
  refused("/log_factors/products", nullptr, "must be a number");
  refused("/log_covariance", 1, "must be a list of 7 rows");
  refused("/log_covariance/2", nlohmann::json::array({1, 2}), "log_covariance[2]");
  refused("/log_covariance/2/2", -1, "variances");
  refused("/log_covariance/2/1", 0.5, "symmetric");
  refused("/framework_memory", 1, "must be an object");
  refused("/framework_memory/extra_bytes", 1e13, "extra_bytes");
  refused("/framework_memory/deviation_bytes", -1, "deviation_bytes");
  refused("/framework_memory/peaks", 0.5, "peaks");
  refused("/marks", "1f", "marks must be a list");
  refused("/marks", {1}, "list of texts");
  refused("/log_covarianze", 1,
          "log_covarianze is not a known field; did you mean log_covariance?");
  refused("/log_factors/product", 1, "product is not a known field; did you mean products?");
  refused("/framework_memory/peak", 1, "peak is not a known field; did you mean peaks?");
  nlohmann::json less = good;
  less["log_factors"].erase("attention");
  CHECK_THROWS_WITH(read_run_belief(less, "p.runs"), "p.runs.log_factors.attention is missing");
  less = good;
  less.erase("log_covariance");
  CHECK_THROWS_WITH(read_run_belief(less, "p.runs"), "p.runs.log_covariance is missing");
  CHECK_THROWS_WITH(read_run_belief(3, "p.runs"), "p.runs must be an object");
}

}  // namespace
}  // namespace gpuplan
