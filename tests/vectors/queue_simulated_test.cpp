// The simulator against exact values, and against another simulator, of queues that are no trace
// (erlang.json).
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gpuplan/simulate/replications.hpp>
#include <gpuplan/simulate/saturated.hpp>

#include "queue/vector_laws.hpp"
#include "queue/vector_rows.hpp"
#include "support/catch.hpp"

namespace gpuplan::testing {
namespace {

using namespace units;
using nlohmann::json;

/// A source of any kind, so that one simulator does for all.
struct any_jobs {
  std::function<trace_job(random_numbers&)> next;
  trace_job operator()(random_numbers& random) const { return next(random); }
};

any_jobs jobs_of_law(const json& row) {
  any_jobs jobs;
  with_law(row, [&](const auto& law) {
    jobs.next = [law](random_numbers& random) { return drawn_jobs{law}(random); };
  });
  return jobs;
}

/// Gangs of classes, each exponential.
any_jobs gangs_of(const json& classes) {
  struct gang_class {
    double probability;
    std::int64_t gpus;
    double rate;
  };
  std::vector<gang_class> all;
  for (const json& each : classes)
    all.push_back({number(each, "p"), each.at("gpus"), number(each, "mu")});
  return {[all](random_numbers& random) {
    double left = random.uniform();
    std::size_t kind = 0;
    while (kind + 1 < all.size() && left >= all[kind].probability) left -= all[kind++].probability;
    return trace_job{.duration = random.exponential() / all[kind].rate * second,
                     .gpus = all[kind].gpus};
  }};
}

/// In the interval of the difference, and half as much again: of many intervals of 95 % some are
/// missed.
void check_agrees(const char* name, const confidence& ours, double theirs, double their_half = 0) {
  INFO(name << ": " << ours.mean << " +- " << ours.half_width << " against " << theirs << " +- "
            << their_half);
  CHECK(std::abs(ours.mean - theirs) <= 1.5 * std::hypot(ours.half_width, their_half));
}
confidence in_seconds(const basic_confidence<seconds>& of) {
  return {of.mean.in(second), of.half_width.in(second)};
}

void check_erlang_c(const json& row, const replication_plan& plan) {
  INFO("M/M/c " << row.at("c") << " servers, load " << row.at("rho"));
  const auto ours = replicate(drawn_jobs{exponential_service(1 / number(row, "mu") * second)},
                              rate_of(row), row.at("c"), {}, plan);
  check_agrees("C", ours.probability, number(row, "C"));
  check_agrees("Wq", in_seconds(ours.mean_wait), number(row, "Wq"));
}

void check_gangs(const json& row, const replication_plan& plan) {
  INFO(row.at("policy") << " on " << row.at("c") << " GPUs, " << row.at("load_vs_lambda_star"));
  const auto policy = find_pool_policy(row.at("policy").get<std::string>())->policy;
  const auto ours = replicate(gangs_of(row.at("classes")), rate_of(row), row.at("c"), policy, plan);
  check_agrees("Wq", in_seconds(ours.mean_wait), number(row, "Wq"), number(row, "Wq_ci95"));
  // Printed without an interval: theirs is taken to be as wide as ours.
  check_agrees("p_wait", ours.probability, number(row, "p_wait"), ours.probability.half_width);
}

void check_policies(const json& row, const replication_plan& plan) {
  const any_jobs jobs = jobs_of_law(row);
  const std::vector<seconds> levels = times_of(row.at("mlas_thresholds"));
  const auto check = [&](const char* name, const pool_policy& policy) {
    if (!row.contains(name)) return;
    INFO(name << " " << row.at("dist") << " on " << row.at("k") << ", " << row.at("rho"));
    const auto ours = replicate(jobs, rate_of(row), row.at("k"), policy, plan);
    check_agrees("T", in_seconds(ours.mean_response), number(row.at(name), "T"),
                 number(row.at(name), "ci95"));
  };
  using order = job_order;
  check("sjf", {.order = order::shortest_job});
  check("psjf", {.order = order::shortest_job, .preempt = preemption::at_once});
  check("srpt", {.order = order::shortest_remaining_time});
  check("mlas", {.order = order::least_attained_service, .thresholds = levels});
  // Equal jobs all end in their last level: it would have to be far smaller than 1 - rho.
  if (row.at("dist") != "deterministic")
    check("las", {.order = order::least_attained_service, .quantum = 0.05 * second});
}

/// First come first served of a law of any tail: long runs, or the longest jobs are missed.
void check_first_come(const json& row, std::int64_t servers, double wait, double half_width) {
  INFO(row.at("dist") << " on " << servers);
  const auto ours =
      replicate(jobs_of_law(row), rate_of(row), servers, {}, {.jobs = 1000000, .warm_up = 100000});
  check_agrees("Wq", in_seconds(ours.mean_wait), wait, half_width);
}

TEST_CASE("the simulator gives the waits of Erlang C", "[vectors][queue][simulator]") {
  int rows = 0;
  for (const json& row : queue_rows("mmc")) {
    const double c = row.at("c");
    if (c > 64 || number(row, "rho") > 0.9 || number(row, "C") < 0.01 || rows == 6) continue;
    ++rows;
    check_erlang_c(row, {.jobs = 10000, .warm_up = 1000, .replications = 20});
  }
  CHECK((rows == 6 || !are_own_vectors()));
}

TEST_CASE("gangs wait as another simulator says, and as their chain does when there is a backlog",
          "[vectors][queue][simulator]") {
  const json rows = queue_rows("msj_des");
  for (std::size_t i = 0; i < 6; ++i)
    check_gangs(rows.at(i), {.jobs = 5000, .warm_up = 500, .replications = 20});
  for (const json& row : queue_rows("msj_saturated")) {
    INFO(row.at("classes") << " on " << row.at("c"));
    double work = 0;
    for (const json& each : row.at("classes"))
      work += number(each, "p") * number(each, "gpus") / number(each, "mu");
    const auto ours = saturated_run(gangs_of(row.at("classes")), work * second, row.at("c"),
                                    {.jobs = 100000, .warm_up = 2000});
    check_agrees("mean_busy", ours.busy_gpus, number(row, "mean_busy"));
    CHECK_THAT(ours.completions() * second, WithinRel(number(row, "lambda_star"), 0.01));
    CHECK_THAT(ours.dispersion,
               WithinRel(number(row, "idc_completions"), 3 * std::sqrt(2 / 200.0)));
  }
}

TEST_CASE("simulated queues of every kind, at length", "[.slow][vectors][queue][simulator]") {
  const replication_plan plan{.jobs = 50000, .replications = 20};
  for (const json& row : queue_rows("mmc"))
    if (row.at("c") <= 1000 && number(row, "rho") <= 0.95 && number(row, "C") > 1e-3)
      check_erlang_c(row, plan);
  for (const json& row : queue_rows("msj_des")) check_gangs(row, plan);
  for (const json& row : queue_rows("mgk_policies_des")) {
    check_policies(row, plan);
    const json& first_come = row.at("fcfs");
    check_first_come(row, row.at("k"), number(first_come, "Wq"), number(first_come, "Wq_ci95"));
  }
  for (const json& row : queue_rows("mgc_fcfs_des"))
    check_first_come(row, row.at("c"), number(row, "Wq"), number(row, "Wq_ci95"));
}

}  // namespace
}  // namespace gpuplan::testing
