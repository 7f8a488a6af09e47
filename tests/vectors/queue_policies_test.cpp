// Scheduling policies against quadratures of forty digits, exact sums and simulations
// (erlang.json).
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <gpuplan/queue/gittins.hpp>
#include <gpuplan/queue/mg1.hpp>
#include <gpuplan/queue/mgk.hpp>
#include <gpuplan/queue/multilevel.hpp>
#include <gpuplan/queue/policy.hpp>
#include <gpuplan/queue/priority.hpp>
#include <gpuplan/queue/service_empirical.hpp>
#include <gpuplan/queue/service_laws.hpp>
#include <gpuplan/queue/service_tails.hpp>
#include <gpuplan/queue/share/time_slicing.hpp>
#include <gpuplan/queue/share/weighted_sharing.hpp>

#include "queue/vector_laws.hpp"
#include "queue/vector_rows.hpp"
#include "support/catch.hpp"

namespace gpuplan::testing {
namespace {

using namespace units;
using nlohmann::json;

void check_if_there(const json& row, const char* name, double ours, double tolerance = 1e-9) {
  const auto found = row.find(name);
  if (found == row.end() || found->is_null()) return;
  INFO(name);
  CHECK(relative_error(ours, number(*found)) <= tolerance);
}
void check_if_there(const json& row, const char* name, seconds ours, double tolerance = 1e-9) {
  check_if_there(row, name, ours / second, tolerance);
}

/// One simulated mean in its interval.  Of many intervals of 95% some are missed: by no more than
/// half.
void check_simulated(const char* what, seconds ours, double mean, double half_width) {
  INFO(what << " " << ours / second << ", simulated " << mean << " +- " << half_width);
  CHECK(std::abs(ours / second - mean) <= 1.5 * half_width);
}

/// Simulated means beside exact ones: of many intervals of 95%, some are missed.
struct simulated_means {
  int compared = 0;
  int missed = 0;

  void compare(const json& row) {
    if (!row.contains("des_check")) return;
    for (const auto& [name, simulated] : row.at("des_check").items()) {
      INFO(name);
      const double away = std::abs(number(simulated, "des") - number(row, name.c_str()));
      ++compared;
      if (away > 1.5 * number(simulated, "ci95")) ++missed;
      CHECK(away <= 3 * number(simulated, "ci95"));
    }
  }
};

/// What both continuous and discrete laws are asked.
template <class Law>
void check_policies(const json& row, const Law& law) {
  const per_second rate = rate_of(row);
  const double rho = rate * mean_service(law);
  const std::vector<seconds> thresholds = times_of(row.at("MLAS_thresholds"));

  check_if_there(row, "ES", mean_service(law));
  check_if_there(row, "ES2", law.template moment<2>() / (second * second));
  check_if_there(row, "ES3", law.template moment<3>() / (second * second * second));
  CHECK(std::abs(squared_variation(law) - number(row, "scv")) <= 1e-9 * (1 + number(row, "scv")));
  const waiting fcfs = fcfs_wait(law, rate);
  check_if_there(row, "FCFS_Wq", fcfs.mean);
  check_if_there(row, "FCFS_T", fcfs.response());
  check_if_there(row, "FCFS_varWq", fcfs_wait_variance(law, rate) / (second * second));
  check_if_there(row, "PS_T", processor_sharing_response(mean_service(law), rho));
  check_if_there(row, "SJF_NP_T", sjf_response(law, rate));
  check_if_there(row, "PSJF_T", preemptive_sjf_response(law, rate));
  check_if_there(row, "SRPT_T", srpt_response(law, rate));
  check_if_there(row, "LAS_T", least_attained_response(law, rate));
  check_if_there(row, "MLAS_T", multilevel_response(law, rate, thresholds));
  for (const json& job : row.at("per_size")) {
    const seconds x = time_of(job, "x");
    check_if_there(job, "PS", processor_sharing_response(x, rho));
    check_if_there(job, "SJF_NP", sjf_response(law, rate, x));
    check_if_there(job, "PSJF", preemptive_sjf_response(law, rate, x));
    check_if_there(job, "SRPT", srpt_response(law, rate, x));
    check_if_there(job, "LAS", least_attained_response(law, rate, x));
    check_if_there(job, "MLAS", multilevel_response(law, rate, thresholds, x));
  }
}

TEST_CASE("policies of one server, laws with a density", "[vectors][queue]") {
  simulated_means simulated;
  for (const json& row : queue_rows("mg1_policies")) {
    INFO(row.at("dist") << row.at("params") << " rho " << row.at("rho"));
    with_law(row, [&](const auto& law) { check_policies(row, law); });
    simulated.compare(row);
  }
  CHECK(simulated.missed <= 0.05 * simulated.compared);
}

TEST_CASE("policies of one server, sizes with whole shares", "[vectors][queue]") {
  simulated_means simulated;
  for (const json& row : queue_rows("mg1_discrete")) {
    INFO(row);
    simulated.compare(row);
    std::vector<service_atom> atoms;
    for (std::size_t i = 0; i < row.at("sizes").size(); ++i)
      atoms.push_back({number(row.at("sizes")[i]) * second, number(row.at("probs")[i])});
    const empirical_service law{std::span<const service_atom>(atoms)};
    check_policies(row, law);

    const gittins_ranks ranks(law);
    const json& starts = row.at("gittins_rank_at_atoms");
    REQUIRE(ranks.starts().size() == starts.size());
    for (std::size_t i = 0; i < starts.size(); ++i)
      CHECK(relative_error(ranks.starts()[i] / second, number(starts[i])) <= 1e-9);
    check_if_there(row, "GITTINS_T", gittins_response(ranks, rate_of(row)));
    for (const json& job : row.at("per_size"))
      check_if_there(job, "GITTINS", gittins_response(ranks, rate_of(row), time_of(job, "x")));
  }
  CHECK(simulated.missed <= 0.05 * simulated.compared);
}

TEST_CASE("priorities at one server", "[vectors][queue]") {
  for (const char* section : {"mg1_priority_np", "mg1_priority_pr"})
    for (const json& row : queue_rows(section)) {
      INFO(row);
      std::vector<priority_class> classes;
      for (const json& of : row.at("classes"))
        classes.push_back({rate_of(of), time_of(of, "ES"), number(of, "ES2") * (second * second)});
      for (std::size_t k = 0; k < classes.size(); ++k) {
        const double response = number(row.at("T")[k]);
        if (row.contains("Wq")) {
          const seconds wait = priority_wait(classes, k);
          CHECK(relative_error(wait / second, number(row.at("Wq")[k])) <= 1e-9);
          CHECK(relative_error((wait + classes[k].mean_service) / second, response) <= 1e-9);
        } else {
          CHECK(relative_error(preemptive_priority_response(classes, k) / second, response) <=
                1e-9);
        }
      }
    }
}

TEST_CASE("priorities in a pool", "[vectors][queue]") {
  for (const json& row : queue_rows("mmc_priority")) {
    INFO(row);
    std::vector<per_second> rates;
    for (const json& rate : row.at("lambdas")) rates.push_back(number(rate) / second);
    const workload pool{.mean_service = 1 / number(row, "mu") * second, .servers = row.at("c")};
    for (std::size_t k = 0; k < rates.size(); ++k) {
      CHECK(relative_error(pool_priority_wait(rates, pool, k) / second,
                           number(row.at("Wq_np")[k])) <= 1e-9);
      CHECK(relative_error(pool_preemptive_priority_response(rates, pool, k) / second,
                           number(row.at("T_pr")[k])) <= 1e-9);
    }
  }
}

TEST_CASE("sharing by weight", "[vectors][queue]") {
  for (const json& row : queue_rows("dps_exp")) {
    INFO(row);
    std::vector<sharing_class> classes;
    for (const json& of : row.at("classes"))
      classes.push_back({rate_of(of), 1 / number(of, "mu") * second, number(of, "weight")});
    for (std::size_t k = 0; k < classes.size(); ++k) {
      const seconds ours = weighted_sharing_response(classes, k);
      CHECK(relative_error(ours / second, number(row.at("T")[k])) <= 1e-9);
      if (row.contains("des_check")) {
        const std::string index = std::to_string(k);
        check_simulated("class", ours, number(row.at("des_check").at("T" + index)),
                        number(row.at("des_check").at("ci" + index)));
      }
    }
  }
}

TEST_CASE("a pool shared by all its jobs", "[vectors][queue]") {
  for (const json& row : queue_rows("mgc_ps")) {
    INFO(row);
    const workload jobs{rate_of(row), time_of(row, "ES"), row.at("c")};
    check_if_there(row, "stretch", shared_pool_response(jobs, 1 * second));
    check_if_there(row, "T_mean", shared_pool_response(jobs, jobs.mean_service));
  }
}

TEST_CASE("turns with switching, simulated", "[vectors][queue]") {
  for (const json& row : queue_rows("rr_overhead_des")) {
    INFO(row);
    with_law(row, [&](const auto& law) {
      const time_slice slice{time_of(row, "quantum"), time_of(row, "overhead")};
      check_simulated("round robin", time_slicing_response(law, rate_of(row), slice),
                      number(row, "T"), number(row, "ci95"));
    });
  }
}

TEST_CASE("several servers, simulated", "[vectors][queue]") {
  for (const json& row : queue_rows("mgk_policies_des")) {
    INFO(row);
    with_law(row, [&](const auto& law) {
      const int servers = row.at("k");
      const workload jobs{rate_of(row), mean_service(law), servers};
      const json& sharing = row.at("ps");
      check_simulated("sharing", shared_pool_response(jobs, mean_service(law)),
                      number(sharing, "T"), number(sharing, "ci95"));

      const response_bounds bounds = srpt_bounds(law, rate_of(row), servers);
      const double srpt = number(row.at("srpt"), "T");
      const double slack = number(row.at("srpt"), "ci95");
      CHECK(bounds.lower <= (srpt + slack) * second);
      CHECK(bounds.upper >= (srpt - slack) * second);
      // The rate is printed with eight digits.
      check_if_there(row, "srpt_k_upper_bound", bounds.upper, 1e-6);
      check_if_there(row, "srpt_1_fast_lower_bound", bounds.lower, 1e-6);
      if (servers >= 16 && number(row, "rho") <= 0.9 && row.at("dist") != "deterministic")
        CHECK(srpt - slack <= 1.14 * (bounds.lower / second));
      for (const char* policy : {"fcfs", "sjf", "psjf", "las", "mlas", "ps"})
        if (row.contains(policy))
          CHECK(bounds.lower <=
                (number(row.at(policy), "T") + number(row.at(policy), "ci95")) * second);
    });
  }
}

}  // namespace
}  // namespace gpuplan::testing
