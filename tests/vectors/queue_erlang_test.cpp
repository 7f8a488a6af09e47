// Erlang's formulas and M/M/c against values of twenty digits (erlang.json).  A result's tolerance
// is that of a few rounding errors of the inputs: the rows say by how much each result magnifies
// them.
#include <algorithm>
#include <cmath>
#include <string>

#include <gpuplan/queue/continuous_erlang.hpp>
#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/erlang_large.hpp>
#include <gpuplan/queue/impatient.hpp>
#include <gpuplan/queue/limited.hpp>
#include <gpuplan/queue/mmc.hpp>
#include <gpuplan/queue/poisson.hpp>
#include <gpuplan/queue/staffing.hpp>

#include "queue/vector_rows.hpp"
#include "support/catch.hpp"

namespace gpuplan::testing {
namespace {

using namespace units;
using nlohmann::json;

workload workload_of(const json& row) {
  return {number(row, "lambda") / second, 1 / number(row, "mu") * second, row.at("c")};
}

void check_relative(const char* what, double got, double want, double tolerance) {
  INFO(what);
  if (want == 0 || holds_digits(want)) CHECK(relative_error(got, want) <= tolerance);
}

/// Rounding errors of a result with this condition number.
double few_roundings(double condition) {
  return 4 * epsilon * (1 + condition);
}

/// The absolute error of ln x is the relative error of x.
void check_log(const char* what, double got, double want, double tolerance) {
  INFO(what);
  CHECK(std::abs(got - want) <= std::max(tolerance, 4 * epsilon * std::abs(want)));
}

TEST_CASE("M/M/c to the condition of each row", "[vectors][queue]") {
  for (const json& row : queue_rows("mmc")) {
    INFO(row.at("tag") << ": c " << row.at("c") << ", lambda " << row.at("lambda") << ", mu "
                       << row.at("mu"));
    const workload jobs = workload_of(row);
    const int c = jobs.servers;
    const double a = jobs.offered_load();
    const double of_c = few_roundings(number(row, "cond_C"));
    const double of_wait = few_roundings(number(row, "cond_Wq"));

    check_relative("B", erlang_b(c, a), number(row, "B"), of_c);
    check_relative("B, series", continuous_erlang_b(c, a), number(row, "B"), of_c);
    check_relative("B, gamma", erlang_b_large(c, a), number(row, "B"), of_c);
    check_log("ln B", log_erlang_b(c, a), number(row, "ln_B"), of_c);
    check_relative("C", erlang_c(c, a), number(row, "C"), of_c);
    check_relative("C, series", continuous_erlang_c(c, a), number(row, "C"), of_c);
    check_relative("C, gamma", erlang_c_large(c, a), number(row, "C"), of_c);
    check_log("ln C", log_erlang_c(c, a), number(row, "ln_C"), of_c);

    for (const waiting& w : {wait(jobs), wait_large(jobs)}) {
      check_relative("Wq", w.mean / second, number(row, "Wq"), of_wait);
      check_relative("Lq", w.queue_length(), number(row, "Lq"), of_wait);
      check_relative("W", w.response() / second, number(row, "W"), of_wait);
      check_relative("L", w.jobs(), number(row, "L"), of_wait);
    }

    // The exponent t (c mu - lambda) magnifies errors of the inputs by itself over 1 - rho, the
    // variance those of the mean wait twice.
    const wait_law law = wait_law_of(wait(jobs));
    const double of_spare = number(row, "cond_Wq") - number(row, "cond_C") + 1;
    check_relative("variance", law.variance() / (second * second), number(row, "var_Wq"),
                   2 * of_wait);
    for (const json& tail : row.at("tails")) {
      const seconds t = number(tail, "t") * second;
      const double log_wait = number(tail, "ln_P_Wq_gt");
      const double log_response = number(tail, "ln_P_T_gt");
      const double of_tail = of_c + few_roundings(std::abs(log_wait) * of_spare);
      check_relative("wait tail", law.tail(t), number(tail, "P_Wq_gt"), of_tail);
      check_log("ln wait tail", log_wait_tail(jobs, t), log_wait, of_tail);
      check_relative("response tail", response_tail(jobs, t), number(tail, "P_T_gt"),
                     of_c + few_roundings((1 + std::abs(log_response)) * of_spare));
    }
    for (const json& percentile : row.at("percentiles")) {
      const double q = number(percentile, "q");
      const double wait_q = number(percentile, "Wq_q");
      const double log_ratio = std::log(law.probability / (1 - q));
      check_relative("wait percentile", law.percentile(q) / second, wait_q,
                     of_wait + of_c / std::abs(log_ratio));
      check_relative("response percentile", response_percentile(jobs, q) / second,
                     number(percentile, "T_q"), of_wait);
    }
  }
}

TEST_CASE("Erlang B beyond full load", "[vectors][queue]") {
  for (const json& row : queue_rows("erlang_b_overload")) {
    INFO(row);
    const int c = row.at("c");
    const double a = number(row, "a");
    check_relative("B", erlang_b(c, a), number(row, "B"), 1e-12);
    check_relative("B, series", continuous_erlang_b(c, a), number(row, "B"), 1e-12);
    check_log("ln B", log_erlang_b(c, a), number(row, "ln_B"), 1e-12);
    check_relative("carried", a * (1 - erlang_b(c, a)), number(row, "carried"), 1e-12);
  }
}

TEST_CASE("Erlang's formulas of numbers that are not whole", "[vectors][queue]") {
  for (const json& row : queue_rows("erlang_b_real_c")) {
    INFO(row);
    const double c = number(row, "c");
    const double a = number(row, "a");
    check_relative("B", continuous_erlang_b(c, a), number(row, "B"), 1e-12);
    check_relative("B, gamma", erlang_b_large(c, a), number(row, "B"), 1e-12);
    check_log("ln B", log_erlang_b(c, a), number(row, "ln_B"), 1e-12);
    if (row.contains("C")) {
      check_relative("C", continuous_erlang_c(c, a), number(row, "C"), 1e-12);
      check_relative("C, gamma", erlang_c_large(c, a), number(row, "C"), 1e-12);
    }
  }
}

/// Calls `ask` with the promise of a row.
template <class Ask>
auto with_limit(const json& row, Ask ask) {
  const std::string kind = row.at("kind");
  const double target = number(row, "target");
  if (kind == "blocking") {
    return ask(loss_limit{target});
  } else if (kind == "p_wait") {
    return ask(wait_probability_limit{target});
  } else if (kind == "mean_wait") {
    return ask(mean_wait_limit{target * second});
  } else if (kind == "mean_response") {
    return ask(mean_response_limit{target * second});
  }
  REQUIRE(kind == "wait_tail");
  return ask(wait_tail_limit{number(row, "t") * second, target});
}

TEST_CASE("the fewest servers, exactly", "[vectors][queue]") {
  for (const json& row : queue_rows("min_c")) {
    INFO(row);
    const job_stream jobs{number(row, "lambda") / second, 1 / number(row, "mu") * second};
    const int fewest =
        with_limit(row, [&](const auto& limit) { return fewest_servers(jobs, limit); });
    CHECK(fewest == row.at("c"));
  }
}

TEST_CASE("the largest arrival rate", "[vectors][queue]") {
  for (const json& row : queue_rows("max_lambda")) {
    INFO(row);
    const server_pool pool{row.at("c"), 1 / number(row, "mu") * second};
    const per_second most =
        with_limit(row, [&](const auto& limit) { return largest_arrival_rate(pool, limit); });
    CHECK(relative_error(most * second, number(row, "max_lambda")) <= 1e-12);
  }
}

TEST_CASE("servers that never run out", "[vectors][queue]") {
  for (const json& row : queue_rows("mminf")) {
    INFO(row);
    const double a = number(row, "a");
    const int n = row.at("n");
    check_relative("P(N > n)", poisson_tail(a, n), number(row, "P_N_gt_n"), 1e-12);
    check_log("ln P(N = n)", log_poisson_probability(a, n), number(row, "ln_P_N_eq_n"), 1e-12);
    check_relative("L", workload{a / second, 1 * second, 1}.offered_load(), number(row, "L"), 0);
  }
}

TEST_CASE("a queue with so many places", "[vectors][queue]") {
  for (const json& row : queue_rows("mmck")) {
    INFO(row);
    const limited_waiting w = limited_wait(workload_of(row), row.at("K"));
    check_relative("blocked", w.blocked, number(row, "P_block"), 1e-12);
    if (holds_digits(w.blocked))
      check_log("ln blocked", std::log(w.blocked), number(row, "ln_P_block"), 1e-12);
    check_relative("Lq", w.accepted.queue_length(), number(row, "Lq"), 1e-12);
    check_relative("L", w.accepted.jobs(), number(row, "L"), 1e-12);
    check_relative("Wq", w.accepted.mean / second, number(row, "Wq"), 1e-12);
    check_relative("W", w.accepted.response() / second, number(row, "W"), 1e-12);
    check_relative("throughput", w.accepted.arrival_rate * second, number(row, "throughput"),
                   1e-12);
    check_relative("accepted jobs that wait", w.accepted.probability,
                   number(row, "P_wait_accepted"), 1e-12);
  }
}

TEST_CASE("jobs that give up", "[vectors][queue]") {
  for (const json& row : queue_rows("erlang_a")) {
    INFO(row);
    const workload jobs = workload_of(row);
    const seconds patience = 1 / number(row, "theta") * second;
    const impatient_waiting w = impatient_wait(jobs, patience);
    check_relative("P(wait)", w.probability, number(row, "P_wait"), 1e-12);
    check_relative("abandonment", w.abandonment, number(row, "P_abandon"), 1e-12);
    check_relative("Lq", w.queue_length(), number(row, "Lq"), 1e-12);
    check_relative("Wq", w.mean / second, number(row, "Wq"), 1e-12);
    check_relative("busy", w.busy(), number(row, "busy"), 1e-12);
    check_relative("L", w.jobs(), number(row, "L"), 1e-12);
    check_relative("utilisation", w.busy() / jobs.servers, number(row, "utilization"), 1e-12);
    for (const json& tail : row.at("tails"))
      check_relative("tail", impatient_wait_tail(jobs, patience, number(tail, "t") * second),
                     number(tail, "P_W_gt"), 1e-12);
  }
}

}  // namespace
}  // namespace gpuplan::testing
