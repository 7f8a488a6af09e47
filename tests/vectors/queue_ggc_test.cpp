// Queues of two moments against exact solutions and simulations (erlang.json): the error of the
// formula that the library picks is no worse than what is known of it.
#include <algorithm>
#include <map>
#include <string>

#include <gpuplan/queue/ggc.hpp>
#include <gpuplan/queue/mdc.hpp>

#include "queue/vector_rows.hpp"
#include "support/catch.hpp"

namespace gpuplan::testing {
namespace {

using namespace units;
using nlohmann::json;

struct errors {
  int rows = 0;
  double sum = 0;
  double largest = 0;

  void add(double error) {
    ++rows;
    sum += error;
    largest = std::max(largest, error);
  }
};

/// What the functions state of themselves, mean and largest, up to the next rounding.
struct stated {
  double mean, largest;
};
using stated_by_kind = std::map<std::string, stated>;
const std::map<std::string, stated_by_kind> stated_errors{
    {"best",
     {{"M/M/c", {1e-12, 1e-12}},
      {"M/G/c, less than random", {0.0035, 0.0105}},
      {"M/G/c, more than random", {0.065, 0.225}},
      {"regular arrivals", {0.0055, 0.0195}},
      {"bursty arrivals", {0.0265, 0.155}}}},
    {"Allen and Cunneen",
     {{"M/M/c", {1e-12, 1e-12}},
      {"M/G/c, less than random", {0.0155, 0.0435}},
      {"M/G/c, more than random", {0.135, 0.535}},
      {"regular arrivals", {0.145, 0.515}},
      {"bursty arrivals", {0.085, 0.375}}}},
    {"Kraemer and Langenbach-Belz",
     {{"M/M/c", {1e-12, 1e-12}},
      {"M/G/c, less than random", {0.0155, 0.0435}},
      {"M/G/c, more than random", {0.135, 0.535}},
      {"regular arrivals", {0.115, 0.495}},
      {"bursty arrivals", {0.115, 0.415}}}},
    {"Whitt",
     {{"M/M/c", {1e-12, 1e-12}},
      {"M/G/c, less than random", {0.0095, 0.0265}},
      {"M/G/c, more than random", {0.055, 0.215}},
      {"regular arrivals", {0.035, 0.195}},
      {"bursty arrivals", {0.075, 0.315}}}},
    {"Kimura",
     {{"M/M/c", {1e-12, 1e-12}},
      {"M/G/c, less than random", {0.0035, 0.0105}},
      {"M/G/c, more than random", {0.065, 0.225}},
      {"regular arrivals", {0.085, 0.315}}}},
    {"probability of waiting",
     {{"M/M/c", {1e-11, 1e-11}},
      {"M/G/c, less than random", {0.025, 0.095}},
      {"M/G/c, more than random", {0.025, 0.095}},
      {"regular arrivals", {0.045, 0.165}},
      {"bursty arrivals", {0.025, 0.075}}}}};

std::string kind_of(const variability& spread) {
  if (spread.arrivals < 1) return "regular arrivals";
  if (spread.arrivals > 1) return "bursty arrivals";
  if (spread.service == 1) return "M/M/c";
  return spread.service < 1 ? "M/G/c, less than random" : "M/G/c, more than random";
}

TEST_CASE("G/G/c against exact solutions", "[vectors][queue]") {
  std::map<std::string, std::map<std::string, errors>> of;
  for (const json& row : queue_rows("ggc_exact_qbd")) {
    INFO(row);
    const workload jobs{number(row, "lambda") / second, number(row, "mean_service") * second,
                        row.at("c")};
    const variability spread{number(row, "ca2"), number(row, "cs2")};
    const double exact = number(row, "Wq_exact");
    const general_waiting best = general_wait(jobs, spread);
    const double error = relative_error(best.wait.mean / second, exact);
    const auto add = [&](const char* formula, seconds mean) {
      of[formula][kind_of(spread)].add(relative_error(mean / second, exact));
    };
    add("best", best.wait.mean);
    add("Allen and Cunneen", allen_cunneen_wait(jobs, spread));
    add("Kraemer and Langenbach-Belz", kraemer_langenbach_belz_wait(jobs, spread));
    add("Whitt", whitt_wait(jobs, spread));
    if (spread.arrivals <= 1) add("Kimura", kimura_wait(jobs, spread));
    of["probability of waiting"][kind_of(spread)].add(
        relative_error(best.wait.probability, number(row, "p_wait_exact")));
    if (best.trust == wait_trust::exact || best.formula == wait_formula::takacs)
      CHECK(error <= 1e-11);
    if (jobs.servers == 1) CHECK(kingman_bound(jobs, spread) >= exact * (1 - 1e-11) * second);

    // The formulas themselves, as others evaluate them.
    const json& others = row.at("approx");
    const auto check = [&](seconds ours, const char* name) {
      INFO(name);
      CHECK(relative_error(ours / second, number(others, name)) <= 1e-12);
    };
    check(wait(jobs).mean, "mmc_Wq");
    check(allen_cunneen_wait(jobs, spread), "allen_cunneen_erlangC");
    check(kraemer_langenbach_belz_wait(jobs, spread), "kraemer_langenbach_belz");
    check(whitt_wait(jobs, spread), "whitt1993");
    check(heavy_traffic_wait(jobs, spread), "kingman_heavy_traffic");
    if (spread.arrivals <= 1) check(kimura_wait(jobs, spread), "kimura1986");
  }
  for (const auto& [formula, kinds] : of)
    for (const auto& [kind, error] : kinds) {
      INFO(formula << ", " << kind << ": " << error.rows << " rows, mean " << error.sum / error.rows
                   << ", largest " << error.largest);
      // A mean over some of the cases of which it is stated may be a little more.
      const double more = formula == "best" ? 1 : 1.25;
      if (is_judged(static_cast<std::size_t>(error.rows)))
        CHECK(error.sum / error.rows <= sampling(static_cast<std::size_t>(error.rows)) * more *
                                            stated_errors.at(formula).at(kind).mean);
      CHECK(error.largest <= stated_errors.at(formula).at(kind).largest);
    }
}

TEST_CASE("M/D/c, exactly", "[vectors][queue]") {
  for (const json& row : queue_rows("mdc")) {
    INFO(row);
    const workload jobs{number(row, "lambda") / second, number(row, "D") * second, row.at("c")};
    const waiting w = deterministic_wait(jobs);
    CHECK(relative_error(w.mean / second, number(row, "Wq")) <= 1e-12);
    CHECK(relative_error(w.queue_length(), number(row, "Lq")) <= 1e-12);
    const general_waiting best = general_wait(jobs, {1, 0});
    CHECK(relative_error(best.wait.mean / second, number(row, "Wq")) <= 1e-12);
    CHECK(best.trust == wait_trust::exact);
  }
}

TEST_CASE("M/G/c of heavy tails against simulation", "[vectors][queue]") {
  errors trusted;
  errors others;
  errors allen_cunneen;
  for (const json& row : queue_rows("mgc_fcfs_des")) {
    INFO(row);
    const int servers = row.at("c");
    const per_second rate = number(row, "lambda") / second;
    const workload jobs{rate, number(row, "rho") * servers / rate, servers};
    const variability spread{1, number(row, "scv")};
    const general_waiting best = general_wait(jobs, spread);
    CHECK(best.formula == wait_formula::kimura);
    // The rate is printed with eight digits.
    CHECK(relative_error(best.wait.mean / second, number(row, "kimura1986")) <= 1e-6);
    CHECK(relative_error(whitt_wait(jobs, spread) / second, number(row, "whitt1993")) <= 1e-6);
    CHECK(relative_error(allen_cunneen_wait(jobs, spread) / second, number(row, "allen_cunneen")) <=
          1e-6);
    const double error = relative_error(best.wait.mean / second, number(row, "Wq"));
    (best.trust == wait_trust::heavy_tail ? others : trusted).add(error);
    allen_cunneen.add(relative_error(allen_cunneen_wait(jobs, spread) / second, number(row, "Wq")));
  }
  INFO("trusted " << trusted.sum / trusted.rows << ", flagged " << others.sum / others.rows
                  << ", Allen-Cunneen " << allen_cunneen.sum / allen_cunneen.rows);
  CHECK(trusted.largest <= 0.25);
  CHECK(others.largest <= 0.80);
  if (is_judged(static_cast<std::size_t>(allen_cunneen.rows)))
    CHECK(trusted.sum + others.sum < 0.3 * allen_cunneen.sum);
}

}  // namespace
}  // namespace gpuplan::testing
