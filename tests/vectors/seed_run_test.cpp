// Worked numbers of the source documents (seed_cases.json) on operations, time, communication,
// scaling, waiting, energy, money and packing; those of memory and batch are in
// seed_memory_test.cpp, and a row that neither knows fails a test here.  Which
// formula a row asks for is told by the names of its inputs, and by what it calls its result where
// several results have the same inputs.
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <gpuplan/comm/all_reduce.hpp>
#include <gpuplan/comm/hockney.hpp>
#include <gpuplan/comm/synchronization.hpp>
#include <gpuplan/comm/traffic.hpp>
#include <gpuplan/compute/data_pipeline.hpp>
#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/hardware/catalog_nvidia.hpp>
#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/model/convnet.hpp>
#include <gpuplan/placement/packing_bounds.hpp>
#include <gpuplan/plan/run.hpp>
#include <gpuplan/plan/step_time.hpp>
#include <gpuplan/plan/training_time.hpp>
#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/scaling/efficiency.hpp>
#include <gpuplan/scaling/learning_rate.hpp>

#include "support/catch.hpp"
#include "support/seed_cases.hpp"
#include "support/vectors.hpp"

namespace gpuplan::testing {
namespace {

using namespace units;
using nlohmann::json;

/// A row's inputs, by name, with the unit that the name ends in.
class inputs {
 public:
  explicit inputs(const json& row) : row_{row} {}

  [[nodiscard]] double number(const char* name) const { return row_.at("inputs").at(name); }
  [[nodiscard]] int whole(const char* name) const { return row_.at("inputs").at(name); }
  [[nodiscard]] bytes size(const char* name) const { return number(name) * byte; }
  [[nodiscard]] seconds time(const char* name) const { return number(name) * second; }
  [[nodiscard]] bytes_per_second bandwidth(const char* name) const {
    return number(name) * byte / second;
  }
  [[nodiscard]] flop_per_second rate(const char* name) const {
    return number(name) * FLOP / second;
  }
  [[nodiscard]] tokens text(const char* name) const { return number(name) * token; }
  /// Does the name of the result hold these words?
  [[nodiscard]] bool says(const char* words) const {
    return row_.at("what").get<std::string>().find(words) != std::string::npos;
  }

 private:
  const json& row_;
};

/// What a formula answers, in base units; nothing where it is not asked.
using answer = std::optional<double>;
using formula = std::function<answer(const inputs&)>;

template <dimension D>
answer of(quantity<D> value) {
  return value.in_base_units();
}
answer of(double value) {
  return value;
}

/// A run of one step of this time.
run_estimate one_step(int gpus, seconds time, const run_prices& prices, watts each = {}) {
  return training_run({.gpus = gpus, .tokens_per_step = 1 * token, .step = time, .gpu_power = each},
                      1 * token, prices);
}

answer tokens_per_second_of(const inputs& row) {
  const tokens step = row.number("batch") * row.number("sequence") * token;
  return of(step / row.time("iteration_s"));
}

flop training_operations(const inputs& row) {
  return coarse_training_flop(row.number("parameters"), row.text("tokens"));
}

answer share_of_peak(const inputs& row) {
  return achieved_rate_of(training_operations(row), row.number("gpus"), row.time("iteration_s"),
                          row.rate("peak_flop_per_s"))
      .utilization();
}

/// Queries, keys and values of all heads; or one product of b s h values and a matrix of h x h.
answer projection_operations(const inputs& row) {
  if (!row.says("QKV")) return {};
  return of(product_flop({.rows = row.number("batch") * row.number("sequence"),
                          .columns = row.number("hidden"),
                          .depth = row.number("hidden"),
                          .count = 3}));
}

answer score_operations(const inputs& row) {
  return of(product_flop({.rows = row.number("sequence"),
                          .columns = row.number("sequence"),
                          .depth = row.number("head_dim"),
                          .count = row.number("batch") * row.number("heads")}));
}

answer pipeline_share(const inputs& row) {
  const double bubble = pipeline_bubble(row.whole("stages"), row.number("micro_batches"));
  if (row.says("utilisation")) return 1 / (1 + bubble);
  return row.says("of the step") ? bubble / (1 + bubble) : bubble;
}

answer tokenise(const inputs& row) {
  const data_pipeline feed{.storage = 1 * GB / second,
                           .workers = row.number("workers"),
                           .preprocessing_per_sample = 1 / (row.number("tokens_per_s") / second),
                           .transfer = 1 * GB / second,
                           .compute = 1 / second};
  return of(data_stage_times_of(feed, row.number("tokens")).preprocessing);
}

/// Tensors of a parameter's size that the update itself moves: clipping passes over the gradients
/// twice more.
answer update_tensors(const inputs&) {
  const parameter_bytes adam = bytes_per_parameter(precision::fp32, optimizer::adam);
  return of((bytes_per_update(adam) - 2 * adam.gradient) / adam.weight);
}

/// What the inputs are called, in the order of the alphabet, and what they ask for.
const std::map<std::string, formula>& formulas() {
  static const std::map<std::string, formula> all{
      {"batch iteration_s sequence", tokens_per_second_of},
      {"gpus iteration_s parameters peak_flop_per_s tokens", share_of_peak},
      {"gpus parameters peak_flop_per_s tokens",
       [](const inputs& row) {
         return of(training_time(training_operations(row), row.number("gpus"),
                                 row.rate("peak_flop_per_s")));
       }},
      {"flop flop_per_s",
       [](const inputs& row) {
         return of(training_time(row.number("flop") * FLOP, 1, row.rate("flop_per_s")));
       }},
      {"tokens tokens_per_s",
       [](const inputs& row) {
         return of(row.text("tokens") / (row.text("tokens_per_s") / second));
       }},
      {"gpus seconds usd_per_gpu_hour",
       [](const inputs& row) {
         return of(one_step(row.whole("gpus"), row.time("seconds"),
                            {.gpu = row.number("usd_per_gpu_hour") * dollar / hour})
                       .cost());
       }},
      {"gpus hours usd",
       [](const inputs& row) {
         return of(one_step(row.whole("gpus"), row.number("hours") * hour,
                            {.gpu = row.number("usd") * dollar / hour})
                       .cost());
       }},
      {"hours usd_per_h",
       [](const inputs& row) {
         return of(one_step(1, row.number("hours") * hour,
                            {.gpu = row.number("usd_per_h") * dollar / hour})
                       .cost());
       }},
      {"seconds usd_per_h",
       [](const inputs& row) {
         return of(
             one_step(1, row.time("seconds"), {.gpu = row.number("usd_per_h") * dollar / hour})
                 .cost());
       }},
      {"gpus seconds watt",
       [](const inputs& row) {
         return of(one_step(row.whole("gpus"), row.time("seconds"), {}, row.number("watt") * watt)
                       .energy);
       }},
      {"minutes watt",
       [](const inputs& row) {
         return of(
             one_step(1, row.number("minutes") * minute, {}, row.number("watt") * watt).energy);
       }},
      {"step_s steps",
       [](const inputs& row) {
         return of(training_run({.tokens_per_step = 1 * token, .step = row.time("step_s")},
                                row.text("steps"))
                       .time);
       }},
      {"batch layers parameters sequence",
       [](const inputs& row) {  // a third of training; the parameters are those of all layers
         return of(coarse_training_flop(row.number("parameters"),
                                        row.number("batch") * row.number("sequence") * token) /
                   3);
       }},
      {"batch hidden sequence", projection_operations},
      {"batch head_dim heads sequence", score_operations},
      {"channels kernel",
       [](const inputs& row) {
         const int side = row.whole("kernel");
         return of(multiply_adds(convolution({side, side, row.whole("channels")}, 1, side)));
       }},
      {"batch inputs outputs",
       [](const inputs& row) {
         return of(row.number("batch") *
                   multiply_adds(dense({1, 1, row.whole("inputs")}, row.whole("outputs"))));
       }},
      {"base_batch base_lr batch",
       [](const inputs& row) {
         return of(linear_learning_rate(row.number("base_lr"), row.number("base_batch"),
                                        row.number("batch")));
       }},
      {"n t1_min tn_min",
       [](const inputs& row) {
         return of(strong_scaling_efficiency({.base_time = row.number("t1_min") * minute,
                                              .devices = row.whole("n"),
                                              .time = row.number("tn_min") * minute})
                       .value());
       }},
      {"after_s before_s",
       [](const inputs& row) {
         const scaling_efficiency faster = strong_scaling_efficiency(
             {.base_time = row.time("before_s"), .devices = 1, .time = row.time("after_s")});
         return of(1 - 1 / faster.speed_up);
       }},
      {"byte byte_per_s",
       [](const inputs& row) {
         const interconnect link{.bandwidth = row.bandwidth("byte_per_s")};
         return of(message_time(link, row.size("byte")).total());
       }},
      {"byte byte_per_s ranks",
       [](const inputs& row) {
         const interconnect link{.bandwidth = row.bandwidth("byte_per_s")};
         return of(ring_all_reduce(link, row.whole("ranks"), row.size("byte")).total());
       }},
      {"alpha_s bandwidth_byte_per_s message_byte ranks",
       [](const inputs& row) {
         const interconnect link{row.time("alpha_s"), row.bandwidth("bandwidth_byte_per_s")};
         return of(ring_all_reduce(link, row.whole("ranks"), row.size("message_byte")).total());
       }},
      {"message_byte ranks",
       [](const inputs& row) {
         return of(
             sent_by_each(collective::all_reduce, row.whole("ranks"), row.size("message_byte")));
       }},
      {"ranks",
       [](const inputs& row) {
         return of(cost_of(all_reduce_algorithm::ring, row.whole("ranks")).messages);
       }},
      {"every", [](const inputs& row) { return of(synchronization_saving(row.whole("every"))); }},
      {"micro_batches stages", pipeline_share},
      {"access_factor disk_byte_per_s network_byte_per_s",
       [](const inputs& row) {
         return of(storage_bandwidth(row.bandwidth("disk_byte_per_s"),
                                     row.bandwidth("network_byte_per_s"),
                                     row.number("access_factor")));
       }},
      {"gpu_per_s pipeline_per_s",
       [](const inputs& row) {
         return of(fed_utilization(row.number("pipeline_per_s") / second,
                                   row.number("gpu_per_s") / second));
       }},
      {"tokens tokens_per_s workers", tokenise},
      {"c lambda_per_h mu_per_h",
       [](const inputs& row) {
         return of(wait({.arrival_rate = row.number("lambda_per_h") / hour,
                         .mean_service = hour / row.number("mu_per_h"),
                         .servers = row.whole("c")})
                       .mean);
       }},
      {"reads writes", update_tensors},
      {"opt", [](const inputs& row) { return of(first_fit_decreasing_bound(row.number("opt"))); }},
      {"fp16 fp32", [](const inputs& row) { return of(row.rate("fp16") / row.rate("fp32")); }},
      {"", [](const inputs& row) {
         if (!row.says("H100 SXM FP8")) return answer{};
         return of(catalog::h100_sxm5_80gb.peak[number_format::fp8_e4m3]);
       }}};
  return all;
}

/// Base units in one of a unit, as rows write it.
std::optional<double> base_units_in(const std::string& unit) {
  static const std::map<std::string, double> known{{"s", 1},
                                                   {"ms", 1e-3},
                                                   {"h", 3600},
                                                   {"year", year.in(second)},
                                                   {"Wh", Wh.in(joule)},
                                                   {"kWh", kWh.in(joule)},
                                                   {"USD", 1},
                                                   {"GB/s", 1e9},
                                                   {"TFLOP/s", 1e12},
                                                   {"byte/s", 1},
                                                   {"byte", 1},
                                                   {"FLOP", 1},
                                                   {"token/s", 1},
                                                   {"ratio", 1},
                                                   {"MAC", 1},
                                                   {"step", 1},
                                                   {"saved", 1},
                                                   {"tensor", 1},
                                                   {"bin", 1},
                                                   {"1", 1}};
  const auto found = known.find(unit);
  return found == known.end() ? std::nullopt : std::optional{found->second};
}

std::string names_of_inputs(const json& row) {
  std::string names;
  for (const auto& [name, value] : row.at("inputs").items())  // in the order of the alphabet
    names += (names.empty() ? "" : " ") + name;
  return names;
}

/// A number of a row in base units; nothing where it is no number, or in no such unit.
std::optional<double> value_of(const json& row, const char* value, const char* unit) {
  const auto factor = base_units_in(row.at(unit));
  if (!factor || !row.at(value).is_number()) return std::nullopt;
  return *factor * row.at(value).get<double>();
}

/// What the library says of a row; nothing where no formula here is asked for.
answer answer_to(const json& row) {
  const auto found = formulas().find(names_of_inputs(row));
  if (found == formulas().end() || !value_of(row, "value", "unit")) return {};
  return found->second(inputs{row});
}

/// Throughputs of one and of many devices, "what no hardware can do is flagged" below.
constexpr const char* two_measured_runs = "batch_1 batch_n n t1_s tn_s";

bool is_checked_with_runs(const json& row) {
  return answer_to(row) || names_of_inputs(row) == two_measured_runs;
}

TEST_CASE("every worked number is checked, or has no number to check", "[vectors][plan]") {
  const std::map<std::string, std::string> statements{
      {"ch2-minibatch-bias", "that the gradient of a mini-batch is unbiased is no formula here"},
      {"ch3-ffd-multi", "no such bound exists; packing_bounds.hpp says what does"}};
  for (const json& row : load_vectors("seed_cases")) {
    const std::string id = row.at("id");
    INFO(id << ": " << names_of_inputs(row));
    if (statements.count(id) == 1)
      CHECK(row.at("value").is_null());
    else
      CHECK((is_checked_with_memory(row) || is_checked_with_runs(row)));
  }
}

TEST_CASE("worked numbers of operations, time, scaling, energy and money", "[vectors][plan]") {
  int checked = 0;
  for (const json& row : load_vectors("seed_cases")) {
    const answer ours = answer_to(row);
    if (!ours) continue;
    const auto right = value_of(row, "value", "unit");
    INFO(row.at("id") << ": " << row.at("what") << "; " << row.at("note"));
    const double tolerance = row.at("rel_tol");
    ++checked;
    CHECK(std::abs(*ours - *right) <= tolerance * std::abs(*right) + 1e-12);

    const auto printed = value_of(row, "source_value", "source_unit");
    if (printed && row.at("verdict") == "source is wrong")
      CHECK(std::abs(*ours - *printed) > tolerance * std::abs(*printed));
  }
  CHECK(checked > 0);
}

TEST_CASE("what no hardware can do is flagged", "[vectors][plan]") {
  for (const json& row : load_vectors("seed_cases")) {
    const inputs in{row};
    INFO(row.at("id") << ": " << row.at("note"));
    const std::string names = names_of_inputs(row);
    if (names == "gpus iteration_s parameters peak_flop_per_s tokens") {
      const achieved_rate claimed =
          achieved_rate_of(training_operations(in), in.number("gpus"), in.time("iteration_s"),
                           in.rate("peak_flop_per_s"));
      CHECK(claimed.beyond_hardware() == (row.at("value") > 1));
    }
    if (names == two_measured_runs) {
      const measured_run base{1, in.number("batch_1"), in.time("t1_s")};
      const measured_run many{in.whole("n"), in.number("batch_n"), in.time("tn_s")};
      const scaling_efficiency gain = throughput_efficiency(base, many);
      // A row without a right value is one whose inputs contradict each other.
      CHECK(gain.more_than_linear() == row.at("value").is_null());
      if (row.at("value").is_number())
        CHECK_THAT(gain.value(),
                   WithinRel(row["value"].get<double>(), row["rel_tol"].get<double>()));
    }
  }
}

}  // namespace
}  // namespace gpuplan::testing
