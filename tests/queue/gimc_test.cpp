#include <gpuplan/queue/gimc.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr bool is_near(double got, double want, double within) {
  return got - want <= within * want && want - got <= within * want;
}

// Exponential times, as the law of two phases that are alike: Erlang C.
constexpr workload forty{.arrival_rate = 36 / hour, .mean_service = 1 * hour, .servers = 40};
static_assert(is_near(detail::renewal_wait_of(forty, detail::bursty_arrivals{}).probability,
                      wait(forty).probability, 1e-12));
static_assert(is_near(detail::renewal_wait_of(forty, detail::bursty_arrivals{}).mean / hour,
                      wait(forty).mean / hour, 1e-12));

// One server: a job waits with probability z, the root, and S z / (1 - z) on average.  Of q = 1/10
// the two means are 5 and 5/9 of that between arrivals.
constexpr workload half{.arrival_rate = 0.5 / hour, .mean_service = 1 * hour};
constexpr waiting one_server = detail::renewal_wait_of(half, detail::bursty_arrivals{0.1});
constexpr double z = one_server.probability;
constexpr double s = 2 * (1 - z);
static_assert(is_near(z, 0.1 / (1 + 5 * s) + 0.9 / (1 + 5 * s / 9), 1e-14));
static_assert(is_near(one_server.mean / hour, z / (1 - z), 1e-14));

/// P(wait) and L_q of a chain whose state is the number of jobs that an arrival sees.
struct chain {
  double probability{};
  double length{};  ///< lambda W_q, jobs that wait
};

/// D/M/c by its embedded chain: the jobs that an arrival sees become, with itself, fewer by a pure
/// death process that lasts a time between arrivals, here by uniformization.
chain clockwork_chain(int servers, double load) {
  const std::size_t states = 400;
  std::vector<double> seen(states);
  seen[0] = 1;
  const double most = servers / load;  // ends per time between arrivals
  for (double change = 1; change > 1e-15;) {
    std::vector<double> now(states);
    for (std::size_t n = 1; n < states; ++n) now[n] = seen[n - 1];
    now[states - 1] += seen[states - 1];
    std::vector<double> next(states);
    double weight = std::exp(-most);
    for (double k = 0; k < most + 12 * std::sqrt(most) + 30; k += 1) {
      for (std::size_t n = 0; n < states; ++n) next[n] += weight * now[n];
      for (std::size_t n = 0; n < states; ++n) {
        const double ends = std::fmin(1, static_cast<double>(n) / servers);
        const double stays = now[n] * (1 - ends);
        if (n > 0) now[n - 1] += now[n] * ends;
        now[n] = stays;
      }
      weight *= most / (k + 1);
    }
    change = 0;
    for (std::size_t n = 0; n < states; ++n) change += std::abs(next[n] - seen[n]);
    seen = next;
  }
  chain found;
  for (std::size_t n = static_cast<std::size_t>(servers); n < states; ++n) {
    found.probability += seen[n];
    found.length += seen[n] * static_cast<double>(n + 1 - static_cast<std::size_t>(servers));
  }
  found.length *= load / servers;  // each of those ahead, and the first end, takes S / c
  return found;
}

/// H2/M/c by its balance of jobs and phase: levels from the top down, x_(n+1) = x_n R_n.
chain bursty_chain(int servers, double load, double variation) {
  using matrix = std::array<double, 4>;  // by rows
  const double r = std::sqrt((variation - 1) / (variation + 1));
  const std::array<double, 2> p{(1 - r) / 2, (1 + r) / 2};
  const std::array<double, 2> rate{2 * p[0], 2 * p[1]};
  const matrix up{rate[0] * p[0], rate[0] * p[1], rate[1] * p[0], rate[1] * p[1]};
  const int levels = servers + 20000;
  const auto ends = [&](int n) { return std::min(n, servers) / load; };
  std::vector<matrix> ratio(static_cast<std::size_t>(levels) + 1);
  for (int n = levels - 1; n >= 0; --n) {  // x_(n+1) (out - R_(n+1) down) = x_n up
    const matrix& above = ratio[static_cast<std::size_t>(n) + 1];
    const double down = ends(n + 2);
    const double out = ends(n + 1);
    const matrix m{rate[0] + out - above[0] * down, -above[1] * down, -above[2] * down,
                   rate[1] + out - above[3] * down};
    const double d = m[0] * m[3] - m[1] * m[2];
    ratio[static_cast<std::size_t>(n)] = {
        (up[0] * m[3] - up[1] * m[2]) / d, (up[1] * m[0] - up[0] * m[1]) / d,
        (up[2] * m[3] - up[3] * m[2]) / d, (up[3] * m[0] - up[2] * m[1]) / d};
  }
  // Level 0: x_0 (rates - R_0 down) = 0.
  std::array<double, 2> x{ratio[0][2] * ends(1), rate[0] - ratio[0][0] * ends(1)};
  double all = 0;
  chain found;
  for (int n = 0; n < levels; ++n) {
    const double arrivals = x[0] * rate[0] + x[1] * rate[1];
    all += arrivals;
    if (n >= servers) found.probability += arrivals;
    if (n > servers) found.length += (n - servers) * (x[0] + x[1]);
    const matrix& m = ratio[static_cast<std::size_t>(n)];
    x = {x[0] * m[0] + x[1] * m[2], x[0] * m[1] + x[1] * m[3]};
  }
  return {found.probability / all, found.length / all};  // the rate of all arrivals is 1
}

TEST_CASE("clockwork arrivals, as their embedded chain has them", "[queue][reference]") {
  const int servers = GENERATE(1, 2, 5, 12);
  const double rho = GENERATE(0.5, 0.8, 0.9);
  const workload jobs{rho * servers / hour, 1 * hour, servers};
  const chain exact = clockwork_chain(servers, rho * servers);
  const waiting w = renewal_wait(jobs, 0);
  INFO("servers " << servers << ", utilization " << rho);
  CHECK_THAT(w.probability, WithinRel(exact.probability, 1e-10));
  CHECK_THAT(w.queue_length(), WithinRel(exact.length, 1e-10));
}

TEST_CASE("bursts, as the chain of jobs and phase has them", "[queue][reference]") {
  const int servers = GENERATE(1, 2, 8, 48, 100);
  const double rho = GENERATE(0.5, 0.7, 0.95);
  const double variation = GENERATE(1.5, 4.0, 9.0);
  const workload jobs{rho * servers / hour, 1 * hour, servers};
  const chain exact = bursty_chain(servers, rho * servers, variation);
  const waiting w = renewal_wait(jobs, variation);
  INFO("servers " << servers << ", utilization " << rho << ", variation " << variation);
  CHECK_THAT(w.probability, WithinRel(exact.probability, 1e-9));
  CHECK_THAT(w.queue_length(), WithinRel(exact.length, 1e-9));
}

TEST_CASE("forty-eight servers, in figures", "[queue][reference]") {
  const workload jobs{3.36 / hour, 10 * hour, 48};
  CHECK_THAT(renewal_wait(jobs, 9).mean / minute, WithinRel(34.0149, 1e-5));
  CHECK_THAT(renewal_wait({4 / hour, 10 * hour, 48}, 0).mean / second, WithinRel(113.17, 1e-4));
}

TEST_CASE("random arrivals: Erlang C", "[queue][limits]") {
  const int servers = GENERATE(1, 2, 10, 100, 1000, 100000);
  const double rho = GENERATE(0.5, 0.9, 0.999);
  const workload jobs{rho * servers / hour, 1 * hour, servers};
  const waiting w = renewal_wait(jobs, 1);
  const waiting exact = wait(jobs);
  INFO("servers " << servers << ", utilization " << rho);
  if (exact.probability < 1e-290) return;
  CHECK_THAT(w.probability, WithinRel(exact.probability, 1e-12));
  CHECK_THAT(w.mean / hour, WithinRel(exact.mean / hour, 1e-12));
}

TEST_CASE("the laws of arrivals meet where they are neighbours", "[queue][limits]") {
  const workload jobs{9 / hour, 1 * hour, 10};
  for (const auto& [below, above] : {std::pair{1 - 1e-9, 1.0}, {1.0, 1 + 1e-9}, {0.0, 1e-9}}) {
    const double ratio = renewal_wait(jobs, above).mean / renewal_wait(jobs, below).mean;
    CHECK(ratio >= 1);
    CHECK(ratio <= 1 + 1e-7);
  }
}

TEST_CASE("bursts wait longer, more servers less, and heavy load as its limit says",
          "[queue][property]") {
  testing::check_property("GI/M/c", [] {
    const int servers = *rc::gen::inRange(1, 300);
    const double rho = *rc::gen::inRange(300, 999) / 1000.0;
    const double variation = *rc::gen::inRange(0, 1000) / 100.0;
    const workload jobs{rho * servers / hour, 1 * hour, servers};
    const waiting w = renewal_wait(jobs, variation);
    RC_ASSERT(w.probability >= 0);
    RC_ASSERT(w.probability <= 1);
    RC_ASSERT(renewal_wait(jobs, variation + 0.5).mean >= w.mean);
    const workload larger{jobs.arrival_rate, 1 * hour, servers + 1};
    RC_ASSERT(renewal_wait(larger, variation).mean <= w.mean);
    const workload full{(1 - 1e-6) * servers / hour, 1 * hour, servers};
    const double limit = (1 + variation) / 2 / (1e-6 * servers);
    RC_ASSERT(std::abs(renewal_wait(full, variation).mean / hour - limit) <= 1e-4 * limit + 20);
  });
}

TEST_CASE("the ends of GI/M/c", "[queue][limits]") {
  for (const double variation : {0.0, 0.4, 1.0, 9.0, 1e6}) {
    CHECK(renewal_wait({0 / hour, 1 * hour, 3}, variation).mean == seconds{0});
    CHECK_FALSE(renewal_wait({3 / hour, 1 * hour, 3}, variation).stable());
    CHECK(renewal_wait({4 / hour, 1 * hour, 3}, variation).probability == 1);
    CHECK(renewal_wait({10 / hour, 1 * hour, 100000}, variation).mean >= seconds{0});
    CHECK(renewal_wait({0.999e5 / hour, 1 * hour, 100000}, variation).stable());
  }
  CHECK(renewal_wait({0.001 / hour, 1 * hour, 1000}, 0).mean == seconds{0});
}

TEST_CASE("GI/M/c refuses what is no queue", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double endless = std::numeric_limits<double>::infinity();
  for (const double variation : {-0.1, nan, endless})
    CHECK_THROWS_AS(renewal_wait(forty, variation), invalid_input);
  CHECK_THROWS_AS(renewal_wait({1 / hour, 0 * hour, 3}, 2), invalid_input);
  CHECK_THROWS_AS(renewal_wait({nan / hour, 1 * hour, 3}, 0), invalid_input);
  CHECK_THROWS_AS(renewal_wait({1 / hour, 1 * hour, 0}, 2), invalid_input);
}

}  // namespace
}  // namespace gpuplan
