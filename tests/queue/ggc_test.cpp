#include <gpuplan/queue/ggc.hpp>

#include <cmath>
#include <limits>

#include <gpuplan/queue/continuous_erlang.hpp>
#include <gpuplan/queue/mmc.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr workload one{.arrival_rate = 0.75 / second, .mean_service = 1 * second};
constexpr workload ten{.arrival_rate = 8 / hour, .mean_service = 1 * hour, .servers = 10};

static_assert(heavy_traffic_wait(one, {1, 1}) == 4 * second);
static_assert(kingman_bound(one, {1, 1}) > wait(one).mean, "a bound");

TEST_CASE("random arrivals at one server: Pollaczek and Khinchine", "[queue][reference]") {
  const double service = GENERATE(0.0, 0.5, 1.0, 4.0, 30.0);
  const seconds exact = (1 + service) / 2 * wait(one).mean;
  const variability spread{1, service};
  for (const seconds each : {allen_cunneen_wait(one, spread), kimura_wait(one, spread),
                             kraemer_langenbach_belz_wait(one, spread)})
    CHECK_THAT(each / second, WithinRel(exact / second, 1e-13));
  const general_waiting best = general_wait(one, spread);
  CHECK_THAT(best.wait.mean / second, WithinRel(exact / second, 1e-13));
  CHECK(best.trust == wait_trust::exact);
}

TEST_CASE("random arrivals of random jobs: each formula is that of M/M/c", "[queue][limits]") {
  const double exact = wait(ten).mean / hour;
  for (const seconds each :
       {allen_cunneen_wait(ten, {}), kraemer_langenbach_belz_wait(ten, {}), whitt_wait(ten, {}),
        kimura_wait(ten, {}), general_wait(ten, {}).wait.mean})
    CHECK_THAT(each / hour, WithinRel(exact, 1e-12));
}

TEST_CASE("the formula that is best for the case, and how far to trust it", "[queue]") {
  CHECK(general_wait(ten, {}).formula == wait_formula::erlang_c);
  CHECK(general_wait(ten, {1, 0}).formula == wait_formula::crommelin);
  CHECK(general_wait(ten, {1, 0}).trust == wait_trust::exact);
  CHECK(general_wait(ten, {1, 2}).formula == wait_formula::kimura);
  CHECK(general_wait(ten, {1, 2}).trust == wait_trust::two_moments);
  CHECK(general_wait(ten, {0.5, 2}).formula == wait_formula::scaled_renewal);
  CHECK(general_wait(ten, {4, 0.5}).formula == wait_formula::scaled_renewal);
  CHECK(general_wait(ten, {4, 1}).formula == wait_formula::takacs);
  CHECK(general_wait(ten, {4, 1}).trust == wait_trust::two_moments);
  CHECK(general_wait(one, {0, 1}).formula == wait_formula::takacs);
  CHECK(general_wait(ten, {0, 1}).trust == wait_trust::exact);
  CHECK(general_wait(one, {1, 3}).formula == wait_formula::pollaczek_khinchine);
  CHECK(general_wait(ten, {1, 10}).trust == wait_trust::heavy_tail);
  CHECK(general_wait({9.5 / hour, 1 * hour, 10}, {1, 10}).trust == wait_trust::two_moments);
  CHECK(general_wait({380 / hour, 1 * hour, 400}, {1, 10}).trust == wait_trust::heavy_tail);
}

TEST_CASE("exponential jobs wait as GI/M/c, of whatever arrivals", "[queue][limits]") {
  const double arrivals = GENERATE(0.0, 0.25, 0.9, 2.0, 9.0);
  for (const workload& jobs : {one, ten}) {
    const waiting exact = renewal_wait(jobs, arrivals);
    const waiting best = general_wait(jobs, {arrivals, 1}).wait;
    CHECK(best.mean == exact.mean);
    CHECK(best.probability == exact.probability);
    CHECK_THAT(scaled_renewal_wait(jobs, {arrivals, 1}) / exact.mean, WithinRel(1, 1e-13));
    const seconds near = general_wait(jobs, {arrivals, 1 + 1e-9}).wait.mean;
    CHECK_THAT(near / exact.mean, WithinRel(1, 1e-7));
  }
}

TEST_CASE("random arrivals wait as M/G/c by the scaled wait, too", "[queue][limits]") {
  const double service = GENERATE(0.0, 0.5, 4.0);
  for (const workload& jobs : {one, ten}) {
    const seconds known = general_wait(jobs, {1, service}).wait.mean;
    CHECK_THAT(scaled_renewal_wait(jobs, {1, service}) / known, WithinRel(1, 1e-13));
    CHECK_THAT(scaled_renewal_wait(jobs, {1 - 1e-9, service}) / known, WithinRel(1, 1e-7));
    CHECK_THAT(scaled_renewal_wait(jobs, {1 + 1e-9, service}) / known, WithinRel(1, 1e-7));
  }
}

TEST_CASE("neither random: as simulated", "[queue][reference]") {
  // 3 million jobs each; hours of jobs of one hour, rho, c_a^2, c_s^2, and within how much.
  struct simulated_case {
    int servers;
    double rho, arrivals, service, mean, within;
  };
  for (const auto& [servers, rho, arrivals, service, mean, within] :
       {simulated_case{8, 0.8, 4, 0.25, 0.8036, 0.15}, simulated_case{48, 0.8, 2, 2, 0.02539, 0.15},
        simulated_case{48, 0.9, 9, 0.25, 0.6677, 0.15},
        simulated_case{100, 0.95, 4, 4, 0.4397, 0.15}, simulated_case{24, 0.8, 9, 4, 0.511, 0.15},
        simulated_case{24, 0.9, 0.25, 2, 0.1992, 0.15},
        simulated_case{48, 0.95, 0.25, 0.25, 0.05541, 0.15},
        simulated_case{8, 0.9, 0, 4, 1.387, 0.15}}) {
    const workload jobs{rho * servers / hour, 1 * hour, servers};
    INFO(servers << " servers, " << rho << ", " << arrivals << ", " << service);
    CHECK_THAT(general_wait(jobs, {arrivals, service}).wait.mean / hour, WithinRel(mean, within));
  }
}

TEST_CASE("clockwork does not wait", "[queue][limits]") {
  for (const seconds each :
       {allen_cunneen_wait(ten, {0, 0}), whitt_wait(ten, {0, 0}), kimura_wait(ten, {0, 0}),
        scaled_renewal_wait(ten, {0, 0}), kraemer_langenbach_belz_wait(ten, {0, 0})})
    CHECK(each == seconds{0});
  CHECK(kingman_bound(one, {0, 0}) == seconds{0});
}

TEST_CASE("a pool that is nearly idle has a wait, too", "[queue][limits]") {
  constexpr workload idle{1 / year, 1 * second, 3};
  const waiting random = wait(idle);
  for (const double service : {0.1, 0.9999, 1.0001, 4.0}) {
    const seconds each = general_wait(idle, {1, service}).wait.mean;
    CHECK(each >= (service < 1 ? 0.6 : 1.0) * random.mean);
    CHECK(each <= (service < 1 ? 1.0 : 2.5) * random.mean);
  }
}

TEST_CASE("more variability, more waiting, and at heavy load as its mean says",
          "[queue][property]") {
  testing::check_property("every formula", [] {
    const int servers = *rc::gen::inRange(1, 100);
    const double rho = *rc::gen::inRange(300, 999) / 1000.0;
    const double service = *rc::gen::inRange(0, 400) / 100.0;
    const workload jobs{rho * servers / hour, 1 * hour, servers};
    const workload full{(1 - 1e-7) * servers / hour, 1 * hour, servers};
    for (const double arrivals : {0.0, 0.3, 1.0, 2.5}) {
      const variability spread{arrivals, service};
      const variability more{arrivals, service + 0.1};
      if (arrivals == 1)  // Whitt's formula, of other arrivals, may fall a little
        RC_ASSERT(general_wait(jobs, more).wait.mean > general_wait(jobs, spread).wait.mean);
      const seconds limit = heavy_traffic_wait(full, spread);
      RC_ASSERT(abs(general_wait(full, spread).wait.mean - limit) <=
                1e-5 * limit + 0.01 * full.mean_service);
      if (arrivals <= 1)
        RC_ASSERT(abs(kimura_wait(full, spread) - limit) <=
                  1e-5 * limit + 0.01 * full.mean_service);
    }
  });
}

TEST_CASE("bursts make more jobs wait, and regular arrivals fewer", "[queue][property]") {
  testing::check_property("the probability of waiting", [] {
    const int servers = *rc::gen::inRange(1, 200);
    const double rho = *rc::gen::inRange(100, 999) / 1000.0;
    const double service = *rc::gen::inRange(0, 400) / 100.0;
    const workload jobs{rho * servers / hour, 1 * hour, servers};
    const double random = whitt_wait_probability(jobs, {1, service});
    RC_ASSERT(std::abs(random - wait(jobs).probability) <= 1e-11 * random);
    const double bursty = whitt_wait_probability(jobs, {3, service});
    const double regular = whitt_wait_probability(jobs, {0.3, service});
    RC_ASSERT(bursty >= random * (1 - 1e-11));
    RC_ASSERT(bursty <= 1);
    RC_ASSERT(regular <= random * (1 + 1e-11));
    RC_ASSERT(regular > 0);
  });
  // Clockwork: c_a, c_s -> 0 leaves none that waits; for c_a alone the tails are those of y.
  CHECK(whitt_wait_probability(ten, {0, 0}) == 0);
  CHECK(whitt_wait_probability(ten, {1e-300, 1e-300}) < 1e-300);  // c_a^2 p_1
  // One server, c_a = 0: r^2 p_4 + (1 - r^2) p_5 with y = 1/4, C = 3/4 and r = 3/4.
  const auto tail = [](double z) { return std::erfc(z / std::sqrt(2.0)) / 2; };
  for (const double service : {0.25, 1.0, 4.0}) {
    const double heavy = std::fmin(1, 0.75 * tail((1 + service) / (4 * service)) / tail(0.25));
    const double light = 0.75 * tail(0.5) / tail(0.25);
    const double limit = 0.5625 * heavy + 0.4375 * light;
    CHECK_THAT(whitt_wait_probability(one, {0, service}), WithinRel(limit, 1e-13));
    CHECK_THAT(whitt_wait_probability(one, {1e-12, service}), WithinRel(limit, 1e-10));
  }
  CHECK(whitt_wait_probability({100 / hour, 1 * hour, 10000}, {2, 2}) == 0);
  CHECK(whitt_wait_probability({100 / hour, 1 * hour, 100}, {2, 2}) == 1);
  CHECK(whitt_wait_probability({0 / hour, 1 * hour, 100}, {2, 2}) == 0);
}

TEST_CASE("a probability of waiting is not lost beside that of M/M/c", "[queue][limits]") {
  // C and the tails of the normal law are below the smallest double, or their product is; ln Q(z)
  // is -z^2/2 - ln(z sqrt(2 pi)) + ln(1 - 1/z^2 + ...).
  const workload half{1500 / hour, 1 * hour, 3000};
  CHECK_THAT(whitt_wait_probability(half, {2, 2}), WithinRel(1.10549e-163, 1e-4));
  const workload third{300 / hour, 1 * hour, 1000};
  CHECK_THAT(whitt_wait_probability(third, {0.5, 2}), WithinRel(1.38205e-269, 1e-4));
  // y = 32 and 38.4: on both sides of where Q is 0 as a double, C e^(y^2 (1 - 1/4) / 2) and more.
  for (const int servers : {4000, 5900}) {
    const workload jobs{0.5 * servers / hour, 1 * hour, servers};
    const double y = 0.5 * std::sqrt(servers);
    const double light = 2.0 / 3.5 * y;  // where 2 y / (1 + c_a^2) and c_a^2 = 2.5
    const double heavy = 2.0 / 3.5 * y;  // with c_s^2 = 1 the same
    const double ratio = (y * y - light * heavy) / 2 + std::log(y / light) +
                         std::log1p(-1 / (light * light)) - std::log1p(-1 / (y * y));
    const double expected = std::exp(log_erlang_c(servers, 0.5 * servers) + ratio);
    CHECK_THAT(whitt_wait_probability(jobs, {2.5, 1}), WithinRel(expected, 1e-4));
  }
}

TEST_CASE("a job waits in G/G/c if and only if it waits for a time", "[queue][limits]") {
  for (const int servers : {1, 2, 8, 100, 1000, 3000, 10000})
    for (const double rho : {1e-300, 1e-100, 1e-20, 1e-6, 0.01, 0.1, 0.3, 0.5, 0.9})
      for (const variability spread :
           {variability{0, 0.5}, variability{0.5, 0.5}, variability{0.5, 2}, variability{2, 2},
            variability{2, 0.5}, variability{1e-9, 1e-9}, variability{1e200, 1e200}}) {
        INFO(servers << " servers, " << rho << ", " << spread.arrivals << ", " << spread.service);
        const waiting of = general_wait({rho * servers / hour, 1 * hour, servers}, spread).wait;
        CHECK(of.probability >= 0);
        CHECK(of.probability <= 1);
        CHECK((of.probability > 0) == (of.mean > seconds{0}));
        const double again = wait_law_of(of).mean() / hour;
        CHECK_THAT(again, WithinRel(of.mean / hour, 1e-12));
      }
}

TEST_CASE("a clockwork that is overloaded waits without end", "[queue][limits]") {
  const workload over{.arrival_rate = 2 / second, .mean_service = 1 * second};
  for (const seconds each :
       {allen_cunneen_wait(over, {0, 0}), kraemer_langenbach_belz_wait(over, {0, 0}),
        whitt_wait(over, {0, 0}), kimura_wait(over, {0, 0}), scaled_renewal_wait(over, {0, 0})})
    CHECK(each > 1e300 * second);
}

TEST_CASE("overload and no load", "[queue][limits]") {
  const workload over{.arrival_rate = 10 / hour, .mean_service = 1 * hour, .servers = 10};
  const workload idle{.arrival_rate = 0 / hour, .mean_service = 1 * hour, .servers = 10};
  CHECK_FALSE(general_wait(over, {2, 3}).wait.stable());
  CHECK(std::isinf(whitt_wait(over, {2, 3}) / hour));
  CHECK(std::isinf(kimura_wait(over, {0.5, 3}) / hour));
  CHECK(std::isinf(heavy_traffic_wait(over, {2, 3}) / hour));
  for (const double rho : {1.0, 1.5, 2.0, 3.0})
    for (const variability spread : {variability{1, 1}, variability{0, 0}})
      CHECK(kingman_bound({rho / hour, 1 * hour, 1}, spread) > 1e300 * hour);
  CHECK(general_wait(idle, {2, 3}).wait.mean == seconds{0});
  CHECK(general_wait(idle, {2, 1}).wait.mean == seconds{0});
  CHECK(kingman_bound({0 / hour, 1 * hour, 1}, {}) == seconds{0});
}

TEST_CASE("queues of two moments refuse what is none", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(kingman_bound(ten, {}), invalid_input);
  CHECK_THROWS_AS(kimura_wait(ten, {1.5, 1}), invalid_input);
  constexpr double endless = std::numeric_limits<double>::infinity();
  for (const variability spread : {variability{-1, 1}, variability{1, nan}, variability{1, endless},
                                   variability{endless, 1}}) {
    CHECK_THROWS_AS(kingman_bound(one, spread), invalid_input);
    CHECK_THROWS_AS(heavy_traffic_wait(ten, spread), invalid_input);
    CHECK_THROWS_AS(allen_cunneen_wait(ten, spread), invalid_input);
    CHECK_THROWS_AS(kraemer_langenbach_belz_wait(ten, spread), invalid_input);
    CHECK_THROWS_AS(whitt_wait(ten, spread), invalid_input);
    CHECK_THROWS_AS(kimura_wait(ten, spread), invalid_input);
    CHECK_THROWS_AS(scaled_renewal_wait(ten, spread), invalid_input);
    CHECK_THROWS_AS(general_wait(ten, spread), invalid_input);
    CHECK_THROWS_AS(whitt_wait_probability(ten, spread), invalid_input);
  }
  CHECK_THROWS_AS(general_wait({1 / hour, nan * hour, 1}, {}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
