// Gangs: the law of busy GPUs and saturated pools against exact values, waits against simulations
// (erlang.json), and against i.i.d. samples of real traces (trace_truth.json).
#include <cmath>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <gpuplan/queue/gang/backfill.hpp>
#include <gpuplan/queue/gang/gang.hpp>
#include <gpuplan/queue/gang/kaufman_roberts.hpp>
#include <gpuplan/queue/gang/markov.hpp>
#include <gpuplan/queue/gang/peakedness.hpp>
#include <gpuplan/queue/mmc.hpp>

#include "queue/gang/errors.hpp"
#include "queue/vector_rows.hpp"
#include "support/catch.hpp"
#include "support/traces.hpp"

namespace gpuplan::testing {
namespace {

using namespace units;
using nlohmann::json;

std::vector<gang_class> classes_of(const json& rows, per_second completions = 1 / second) {
  std::vector<gang_class> classes;
  for (const json& of : rows) {
    const per_second rate = of.contains("mu") ? number(of, "mu") / second : completions;
    classes.push_back({.gpus = of.at("gpus"), .share = of.at("p"), .mean_duration = 1 / rate});
  }
  return classes;
}

/// exact_saturation of a row; rows that differ in load alone share it.
saturation limit_of(const json& row, std::span<const gang_class> classes) {
  static std::map<std::string, saturation> known;
  const std::string system = row.at("c").dump() + row.at("classes").dump();
  const auto found = known.find(system);
  if (found != known.end()) return found->second;
  return known[system] = exact_saturation(classes, row.at("c"));
}

/// A goal of a mean factor, of so many rows.
double within(double factor, int rows) {
  return 1 + sampling(static_cast<std::size_t>(rows)) * (factor - 1);
}

TEST_CASE("Kaufman and Roberts, exactly", "[vectors][queue]") {
  for (const json& row : queue_rows("kaufman_roberts")) {
    INFO(row);
    std::vector<gang_load> loads;
    for (const json& of : row.at("classes")) loads.push_back({of.at("b"), of.at("a")});
    const std::vector<double> law = kaufman_roberts(loads, row.at("C"));
    double busy = 0;
    for (std::size_t k = 0; k < loads.size(); ++k) {
      const double lost = gang_blocking(law, loads[k].gpus);
      const double want = number(row.at("blocking")[k]);
      if (holds_digits(want)) CHECK(relative_error(lost, want) <= 1e-11);
      busy += loads[k].jobs * loads[k].gpus * (1 - lost);
    }
    CHECK(relative_error(busy, number(row, "mean_busy")) <= 1e-12);
    CHECK(relative_error(busy / row.at("C").get<int>(), number(row, "utilization")) <= 1e-12);
  }
}

TEST_CASE("what a pool takes of gangs that run equally long", "[vectors][queue]") {
  for (const json& row : queue_rows("msj_equal_mu_lambda_star")) {
    INFO(row);
    const per_second completions = number(row, "mu") / second;
    const std::vector<gang_class> classes = classes_of(row.at("mix"), completions);
    const int gpus = row.at("c");
    const per_second rate = saturation_rate(classes, gpus, 1 / completions);
    CHECK(relative_error(rate * second, number(row, "lambda_star")) <= 1e-12);
    CHECK(relative_error(rate * mix_of(classes).work / gpus, number(row, "max_utilization")) <=
          1e-12);
  }
}

TEST_CASE("what a pool takes of gangs, by its chain", "[vectors][queue]") {
  for (const json& row : queue_rows("msj_saturated")) {
    INFO(row);
    const saturation limit = exact_saturation(classes_of(row.at("classes")), row.at("c"));
    // Printed with ten to thirteen digits.
    CHECK(relative_error(limit.rate * second, number(row, "lambda_star")) <= 1e-11);
    CHECK(relative_error(limit.delta(), number(row, "delta")) <= 1e-9);
    CHECK(relative_error(limit.dispersion, number(row, "idc_completions")) <= 1e-9);
    CHECK(relative_error(limit.busy, number(row, "mean_busy")) <= 1e-10);
  }
}

TEST_CASE("waits of gangs against simulation", "[vectors][queue]") {
  factor_off probability;
  factor_off mean;
  for (const json& row : queue_rows("msj_des")) {
    if (row.at("policy") != "fcfs") continue;
    INFO(row);
    const std::vector<gang_class> classes = classes_of(row.at("classes"));
    const int gpus = row.at("c");
    const gang_waiting got =
        gang_wait({number(row, "lambda") / second, classes, gpus}, limit_of(row, classes));
    CHECK_THAT(got.load(), WithinRel(number(row, "load_vs_lambda_star"), 1e-6));
    probability.add(got.wait.probability, number(row, "p_wait"));
    mean.add(got.wait.mean / second, number(row, "Wq"));
    if (got.load() > 0.89) {  // heavy traffic
      CHECK_THAT(got.wait.probability, WithinRel(number(row, "p_wait"), 0.07));
      CHECK_THAT(got.wait.mean / second, WithinRel(number(row, "Wq"), 0.08));
    }
  }
  INFO("P(wait) off by a factor " << probability.value() << ", the mean by " << mean.value());
  CHECK((probability.rows >= 32 || !are_own_vectors()));
  if (!is_judged(static_cast<std::size_t>(probability.rows))) return;
  CHECK(probability.value() <= within(1.07, probability.rows));
  CHECK(mean.value() <= within(1.09, mean.rows));
}

TEST_CASE("waits of gangs under backfilling against simulation", "[vectors][queue]") {
  struct policy {
    const char* name;
    backfilling backfill;
    double probability, mean;  // that the error may be
  };
  for (const policy& each : {policy{"easy", backfilling::easy, 1.18, 1.55},
                             policy{"firstfit", backfilling::first_fit, 1.28, 2.25}}) {
    factor_off probability;
    factor_off mean;
    for (const json& row : queue_rows("msj_des")) {
      if (row.at("policy") != each.name) continue;
      const std::vector<gang_class> classes = classes_of(row.at("classes"));
      const int gpus = row.at("c");
      const gang_waiting got = gang_wait({number(row, "lambda") / second, classes, gpus},
                                         limit_of(row, classes), each.backfill);
      probability.add(got.wait.probability, number(row, "p_wait"));
      mean.add(got.wait.mean / second, number(row, "Wq"));
    }
    INFO(each.name << ": P(wait) off by a factor " << probability.value() << ", the mean by "
                   << mean.value());
    CHECK((probability.rows >= 16 || !are_own_vectors()));
    if (!is_judged(static_cast<std::size_t>(probability.rows))) continue;
    CHECK(probability.value() <= within(each.probability, probability.rows));
    CHECK(mean.value() <= within(each.mean, mean.rows));
  }
}

TEST_CASE("waits of gangs against samples of real traces", "[vectors][queue][gang-errors]") {
  if (!have_traces()) {
    WARN(no_traces);
    return;
  }
  factor_off probability;
  factor_off mean;
  factor_off wait_99;
  factor_off by_jobs;
  const std::vector<gang_error> rows = gang_errors_of_samples();
  for (const gang_error& row : rows) {
    probability.add(row.got.wait.probability, row.probability);
    mean.add(row.got.wait.mean / second, row.mean / second);
    by_jobs.add(row.mean_by_jobs / second, row.mean / second);
    if (row.probability > 0.02)  // else the percentile hangs on the last digit of P
      wait_99.add(wait_law_of(row.got.wait).percentile(0.99) / second, row.wait_99 / second);
  }
  std::ostringstream table;
  print_gang_errors(table, rows);
  INFO(table.str() << "off by factors: P(wait) " << probability.value() << ", mean " << mean.value()
                   << ", percentile 99 " << wait_99.value() << "; mean by jobs alone "
                   << by_jobs.value());
  CHECK((probability.rows >= 11 || !are_own_vectors()));
  if (!is_judged(static_cast<std::size_t>(probability.rows))) return;
  CHECK(probability.value() <= within(1.10, probability.rows));
  CHECK(mean.value() <= within(1.25, mean.rows));
  CHECK(wait_99.value() <= within(1.30, wait_99.rows));
  CHECK(by_jobs.value() > 10);
}

TEST_CASE("endless pools of real traces", "[vectors][queue]") {
  if (!have_traces()) {
    WARN(no_traces);
    return;
  }
  for (const auto& [name, truth, jobs] : true_traces()) {
    const endless_pool pool = endless_pool_of(jobs);
    const json& stats = truth.at("stats").at("infinite_server");
    INFO(name);
    CHECK(relative_error(pool.mean, number(stats, "mean_busy_gpus")) <= 1e-9);
    CHECK(relative_error(pool.variance, number(stats, "var_busy_gpus")) <= 1e-9);
    CHECK(relative_error(pool.peakedness(), number(stats, "peakedness")) <= 1e-9);
    CHECK(pool.largest == number(stats, "max_busy_gpus"));
    for (const json& row : truth.at("trace_replay")) {
      if (row.at("policy") != "fcfs") continue;
      const double bound = pool.without_room(row.at("c").get<int>());
      CHECK(relative_error(bound, number(row, "p_wait_lower_bound_Ninf")) <= 1e-12);
      CHECK(bound <= number(row, "p_wait") * (1 + 1e-6));  // printed with eight digits
    }
  }
}

TEST_CASE("waits of gangs against replays of real traces", "[vectors][queue][gang-errors]") {
  if (!have_traces()) {
    WARN(no_traces);
    return;
  }
  factor_off probability;
  factor_off hayward;
  const std::vector<gang_error> rows = gang_errors_of_replays();
  for (const gang_error& row : rows) {
    INFO(row.trace << " on " << row.gpus);
    probability.add(row.got.wait.probability, row.probability);
    hayward.add(row.hayward, row.probability);
    CHECK(row.got.wait.probability >= row.without_room);
    if (row.got.trust != gang_trust::stated) continue;  // simulate() answers
    const seconds percentile = wait_law_of(row.got.wait).percentile(0.99);
    CHECK(relative_error(percentile / second, row.wait_99 / second) <= 0.3);
  }
  std::ostringstream table;
  print_gang_errors(table, rows);
  INFO(table.str() << "P(wait) off by a factor " << probability.value()
                   << "; Erlang C at the measured peakedness by " << hayward.value());
  CHECK((probability.rows >= 29 || !are_own_vectors()));
  if (!is_judged(static_cast<std::size_t>(probability.rows))) return;
  CHECK(probability.value() <= within(1.25, probability.rows));
  CHECK(hayward.value() <= within(1.55, hayward.rows));
}

}  // namespace
}  // namespace gpuplan::testing
