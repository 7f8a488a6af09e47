#include <gpuplan/report/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/node.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/estimate.hpp>

#include "support/catch.hpp"

namespace {

using namespace gpuplan;
using namespace gpuplan::units;

const interconnect network{.latency = 5 * us, .bandwidth = 50 * GB / second};

estimate estimate_of(const recipe& how, const parallelism& cut) {
  const cluster pool =
      cluster_of(node_of(catalog::h100_sxm5_80gb, 8, network), static_cast<int>(cut.gpus()));
  return evaluate(catalog::llama_3_8b, pool, how, cut);
}

const recipe usual{.global_batch_size = 64, .sequence_length = 4096, .zero = zero_stage::optimizer};

TEST_CASE("a number that JSON cannot say is null, a whole one has no point", "[report]") {
  CHECK(json_number(std::nan("")).is_null());
  CHECK(json_number(std::numeric_limits<double>::infinity()).is_null());
  CHECK(json_number(-std::numeric_limits<double>::infinity()).is_null());
  CHECK(json_number(3.0).dump() == "3");
  CHECK(json_number(-0.0).dump() == "0");
  CHECK(json_number(0.5).dump() == "0.5");
  CHECK(json_number(0x1p60).is_number_float());
  CHECK(json_number(80 * GiB).dump() == "85899345920");
}

TEST_CASE("an object keeps the order of its fields", "[report]") {
  json_object object{1};
  object.add("b", 1).add("a", 2).add(report_json{{"d", 3}, {"c", nullptr}});
  CHECK(object.take().dump() == R"({"b":1,"a":2,"d":3,"c":null})");
}

TEST_CASE("an estimate holds what programs read", "[report]") {
  const parallelism cut{.data = 4, .tensor = 2, .pipeline = 4};
  const report_json answer = json_of(estimate_of(usual, cut));
  CHECK(answer["fits"] == true);
  CHECK(answer["reason"].is_null());
  CHECK(answer["rejected"].is_null());
  CHECK(answer["gpus_used"] == 32);
  CHECK(answer["mfu"].get<double>() > 0);
  CHECK(answer["mfu"].get<double>() < 1);

  double sum = 0;
  double largest = 0;
  std::string binding;
  for (const auto& [term, value] : answer["step_terms"].items()) {
    CHECK(term.ends_with("_s"));
    sum += value.get<double>();
    if (value.get<double>() > largest) {
      largest = value.get<double>();
      binding = term.substr(0, term.size() - 2);
    }
  }
  CHECK_THAT(sum, WithinRel(answer["step_time_s"].get<double>(), 1e-12));
  CHECK(answer["binding"] == binding);

  const report_json& memory = answer["memory"];
  REQUIRE(memory["stages"].size() == 4);
  double worst = 0;
  for (const report_json& stage : memory["stages"]) {
    worst = std::max(worst, stage["total_bytes"].get<double>());
    double states = 0;
    for (const char* term : {"weights", "gradients", "master_weights", "optimizer"})
      states += stage[std::string(term) + "_bytes"].get<double>();
    // Each is rounded up to a whole byte.
    CHECK(stage["states_bytes"].is_number_integer());
    CHECK(states - stage["states_bytes"].get<double>() >= 0);
    CHECK(states - stage["states_bytes"].get<double>() <= 4);
    CHECK(stage["allocator_peak_bytes"] <= stage["total_bytes"]);
    CHECK(stage["allocated_bytes"] == stage["allocator_peak_bytes"]);
    CHECK(stage["device_bytes"] == stage["total_bytes"]);
    const double reserved = stage["reserved_bytes"].get<double>();
    CHECK(reserved - stage["allocated_bytes"].get<double>() ==
          Approx(stage["fragmentation_bytes"].get<double>()).margin(2));
    CHECK(stage["device_bytes"].get<double>() - reserved ==
          Approx(stage["cuda_context_bytes"].get<double>() +
                 stage["communicators_bytes"].get<double>())
              .margin(2));
    // What each term adds at the peak is no more than the term, and is the total.
    double shares = 0;
    for (const auto& [term, share] : stage["at_peak"].items()) {
      CHECK(share > 0);
      CHECK(share <= stage[term]);
      shares += share.get<double>();
    }
    CHECK(shares == Approx(stage["total_bytes"].get<double>()).margin(stage["at_peak"].size()));
  }
  const report_json& worst_row = memory["stages"][memory["worst_stage"].get<std::size_t>()];
  for (const char* key : {"allocated_bytes", "reserved_bytes", "device_bytes"})
    CHECK(memory[key] == worst_row[key]);
  CHECK(memory["worst_stage_bytes"].get<double>() == worst);
  CHECK(memory["stages"][memory["worst_stage"].get<std::size_t>()]["total_bytes"] ==
        memory["worst_stage_bytes"]);
}

TEST_CASE("a layout that breaks a rule has null where nothing was computed", "[report]") {
  const report_json answer = json_of(estimate_of(usual, {.tensor = 3}));
  CHECK(answer["fits"] == false);
  CHECK(answer["reason"] == "attention_heads");
  CHECK(answer["rejected"]["needed"] == 3);
  CHECK(answer["rejected"]["available"] == 32);
  for (const char* key : {"binding", "mfu", "step_time_s", "step_terms", "tokens_per_s"})
    CHECK(answer[key].is_null());
  CHECK(answer["memory"]["worst_stage_bytes"].is_null());
  CHECK(answer["memory"]["stages"].empty());
}

TEST_CASE("the memory of the GPU is said with where it is known from", "[report]") {
  const estimate fits = estimate_of(usual, {.data = 4, .tensor = 2, .pipeline = 4});
  const report_json listed = json_of(fits, catalog::h800_sxm5_80gb)["memory"];
  CHECK(listed["capacity_bytes"] == json_number(catalog::h800_sxm5_80gb.memory));
  CHECK(listed["capacity_from"] == "derived");
  CHECK(listed["label_bytes"] == 85899345920);
  CHECK(listed["worst_stage_bytes"] == json_of(fits)["memory"]["worst_stage_bytes"]);
  const report_json given =
      json_of(fits, {.memory = 70 * GiB, .memory_bandwidth = TB / second})["memory"];
  CHECK(given["capacity_from"] == "given");
  CHECK(given["label_bytes"].is_null());
}

TEST_CASE("one that does not fit says by how much, and is costed", "[report]") {
  const report_json answer = json_of(estimate_of(usual, {}));
  CHECK(answer["fits"] == false);
  CHECK(answer["reason"] == "memory");
  CHECK(answer["rejected"]["needed_bytes"] == answer["memory"]["worst_stage_bytes"]);
  CHECK(answer["rejected"]["available_bytes"] == json_number(catalog::h100_sxm5_80gb.memory));
  CHECK(answer["step_time_s"].get<double>() > 0);
}

TEST_CASE("a recipe is echoed as it was understood", "[report]") {
  const report_json echo = json_of(recipe{.precision = precision::mixed_bf16,
                                          .zero = zero_stage::gradients,
                                          .split = layer_split{std::array{9, 7}}});
  CHECK(echo["precision"] == "mixed_bf16");
  CHECK(echo["gradient_dtype"] == "fp32");
  CHECK(echo["zero"] == 2);
  CHECK(echo["layer_split"] == report_json::array({9, 7}));
  CHECK(json_of(parallelism{.tensor = 4})["expert_tensor"] == 4);
}

TEST_CASE("no answer holds a number that is none, whatever is asked", "[report]") {
  const std::function<void(const report_json&)> look = [&](const report_json& value) {
    if (value.is_number_float()) CHECK(std::isfinite(value.get<double>()));
    if (value.is_structured())
      for (const report_json& part : value) look(part);
  };
  for (const auto& row : catalog::models)
    look(json_of(evaluate(row.model, cluster_of(node_of(catalog::h100_sxm5_80gb, 8, network), 8),
                          usual, {.data = 8})));
  run_estimate endless;
  endless.time = seconds{std::numeric_limits<double>::infinity()};
  CHECK(json_of(endless, {})["time_s"].is_null());
}

TEST_CASE("what is not known of a run is null, not 0", "[report]") {
  const run_estimate run =
      training_run({.gpus = 8, .tokens_per_step = 1000 * units::token, .step = 1 * units::second},
                   1e6 * units::token, {.gpu = 2 * units::dollar / units::hour});
  const auto nulls = [&](const run_knowledge& known) {
    std::string keys;
    const report_json object = json_of(run, known);
    for (const auto& [key, value] : object.items())
      if (value.is_null()) keys += key + " ";
    return keys;
  };
  CHECK(nulls({.gpu_cost = true, .energy = true, .energy_cost = true}).empty());
  CHECK(nulls({.energy = true, .energy_cost = true}) == "gpu_cost_dollars cost_dollars ");
  CHECK(nulls({.gpu_cost = true, .energy_cost = true}) == "energy_joules ");
  CHECK(nulls({.gpu_cost = true}) == "energy_joules energy_cost_dollars cost_dollars ");
}

TEST_CASE("a fact has its source and how far to trust it", "[report]") {
  const report_json shown = json_of(fact{"memory", 8e9, "a datasheet", fact_status::recalled});
  CHECK(shown["value"] == 8000000000);
  CHECK(shown["status"] == "recalled");
  CHECK(shown["source"] == "a datasheet");
  CHECK(shown.count("note") == 0);
}

}  // namespace
