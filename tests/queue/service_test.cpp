#include <gpuplan/queue/service.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <gpuplan/queue/detail/service_integrals.hpp>
#include <gpuplan/queue/service_empirical.hpp>
#include <gpuplan/queue/service_laws.hpp>
#include <gpuplan/queue/service_tails.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(continuous_service_law<erlang_service>);
static_assert(continuous_service_law<hyperexponential_service>);
static_assert(continuous_service_law<uniform_service>);
static_assert(continuous_service_law<lognormal_service>);
static_assert(continuous_service_law<weibull_service>);
static_assert(continuous_service_law<bounded_pareto_service>);
static_assert(discrete_service_law<deterministic_service>);
static_assert(discrete_service_law<empirical_service>);
static_assert(!service_law<seconds>);

static_assert(squared_variation(deterministic_service{3 * hour}) == 0);
static_assert(mean_service(uniform_service{1 * second, 3 * second}) == 2 * second);
static_assert(truncated_moment<1>(deterministic_service{4 * second}, 3 * second) == 3 * second);
static_assert(moment_below<1>(deterministic_service{4 * second}, 4 * second) == seconds{0});
static_assert(deterministic_service{4 * second}.moment_up_to<1>(4 * second) == 4 * second);

TEST_CASE("moments that textbooks give", "[queue][reference]") {
  CHECK_THAT(squared_variation(exponential_service(2 * hour)), WithinRel(1.0, 1e-14));
  CHECK_THAT(squared_variation(erlang_service{4, 2 * hour}), WithinRel(0.25, 1e-13));
  CHECK_THAT(squared_variation(lognormal_service{1 * hour, 1.5}),
             WithinRel(std::exp(2.25) - 1, 1e-13));
  CHECK_THAT(squared_variation(weibull_service{0.5, 1 * hour}), WithinRel(5.0, 1e-13));
  for (const double shape : {0.4, 2.0}) {  // P(S > most) is exp(-96), P(S < least) 1e-18
    const weibull_service law{shape, 1 * hour};
    CHECK_THAT(std::log(law.tail(law.range().most)), WithinRel(-96.0, 1e-12));
    CHECK_THAT(std::pow(law.range().least / law.scale, shape), WithinRel(1e-18, 1e-12));
  }
  // Balanced means: p = (1 + sqrt((c^2 - 1)/(c^2 + 1)))/2
  const double p = (1 + std::sqrt(3.0 / 5)) / 2;
  const hyperexponential_service mix{p, 1 / (2 * p) * hour, 1 / (2 * (1 - p)) * hour};
  CHECK_THAT(squared_variation(mix), WithinRel(4.0, 1e-13));
  CHECK_THAT(mean_service(mix) / hour, WithinRel(1.0, 1e-14));
  // alpha / (alpha - 1) L of the law without bound
  CHECK_THAT(mean_service(bounded_pareto_service{3, 1 * hour, 1e12 * hour}) / hour,
             WithinRel(1.5, 1e-12));
  CHECK_THAT(mean_service(bounded_pareto_service{1, 1 * hour, 10 * hour}) / hour,
             WithinRel(std::log(10.0) / 0.9, 1e-14));
  CHECK(lognormal_service{3 * hour, 2}.tail(3 * hour) == 0.5);
}

template <class Law>
void is_consistent(const Law& law) {
  require_valid(law);
  const seconds mean = mean_service(law);
  CHECK_THAT(detail::expectation(law, [](seconds) { return 1.0; }), WithinRel(1.0, 1e-12));
  CHECK_THAT(detail::expectation(law, [](seconds x) { return x; }) / mean, WithinRel(1.0, 1e-12));
  CHECK_THAT(detail::expectation(law, [](seconds x) { return x * x; }) / law.template moment<2>(),
             WithinRel(1.0, 1e-12));
  const auto tail = [&](seconds t) { return law.tail(t); };
  CHECK_THAT(detail::integral_up_to(law, detail::longest(law), tail) / mean, WithinRel(1.0, 1e-12));
  for (const double place : {1e-6, 0.01, 0.3, 0.9, 1.0, 1.7, 6.0, 40.0}) {
    INFO("at " << place << " of the mean");
    const seconds x = place * mean;
    const double below = law.template moment_up_to<0>(x);
    CHECK(std::abs(below + law.tail(x) - 1) <= 1e-13);
    CHECK_THAT(detail::integral_up_to(law, x, [](seconds) { return 1.0; }) / x,
               WithinRel(1.0, 1e-12));
    // E min(S, x) is the area under the tail
    CHECK_THAT(detail::integral_up_to(law, x, tail) / truncated_moment<1>(law, x),
               WithinRel(1.0, 1e-12));
    if constexpr (continuous_service_law<Law>) {
      square_seconds sum{};
      detail::for_each_panel(law.range(), x, [&](seconds from, seconds to) {
        sum += detail::panel_integral(from, to, [&](seconds t) { return law.density(t) * t * t; });
      });
      const square_seconds closed = law.template moment_up_to<2>(x);
      CHECK(abs(sum - closed) <= 1e-12 * closed + 1e-25 * law.template moment<2>());
    }
  }
  CHECK(law.tail(seconds{0}) == 1);
  CHECK(law.tail(detail::longest(law)) < 1e-30);
  CHECK_THAT(truncated_moment<2>(law, seconds{std::numeric_limits<double>::infinity()}) /
                 law.template moment<2>(),
             WithinRel(1.0, 1e-13));
}

TEST_CASE("moments, tails and densities of a law agree with each other", "[queue][property]") {
  SECTION("exponential") {
    is_consistent(exponential_service(1 * hour));
  }
  SECTION("Erlang") {
    is_consistent(erlang_service{3, 2 * hour});
  }
  SECTION("Erlang of many phases") {
    is_consistent(erlang_service{100, 2 * hour});
  }
  SECTION("hyperexponential") {
    is_consistent(hyperexponential_service{0.9, 1 * minute, 1 * day});
  }
  SECTION("uniform from 0") {
    is_consistent(uniform_service{0 * hour, 2 * hour});
  }
  SECTION("uniform") {
    is_consistent(uniform_service{1 * hour, 3 * hour});
  }
  SECTION("lognormal") {
    is_consistent(lognormal_service{1 * hour, 2.2});
  }
  SECTION("narrow lognormal") {
    is_consistent(lognormal_service{1 * hour, 0.1});
  }
  SECTION("Weibull") {
    is_consistent(weibull_service{0.4, 1 * hour});
  }
  SECTION("Weibull of rising hazard") {
    is_consistent(weibull_service{5, 1 * hour});
  }
  SECTION("bounded Pareto") {
    is_consistent(bounded_pareto_service{1.1, 1 * second, 1 * day});
  }
  SECTION("bounded Pareto, alpha 2") {
    is_consistent(bounded_pareto_service{2, 1 * second, 1 * day});
  }
  SECTION("deterministic") {
    is_consistent(deterministic_service{1 * hour});
  }
  SECTION("empirical") {
    const std::vector<seconds> sizes{3 * second, 1 * second, 3 * second, 90 * second};
    is_consistent(empirical_service(sizes));
  }
}

TEST_CASE("sizes from data are sorted, and equal ones are one", "[queue]") {
  const std::vector<seconds> sizes{5 * second, 1 * second, 5 * second, 2 * second};
  const empirical_service law(sizes);
  REQUIRE(law.atoms().size() == 3);
  CHECK(law.atoms()[2].size == 5 * second);
  CHECK(law.atoms()[2].probability == 0.5);
  CHECK(law.moment_up_to<1>(2 * second) == 0.75 * second);
  CHECK(law.moment_below<1>(2 * second) == 0.25 * second);
  CHECK(law.tail(2 * second) == 0.5);
  CHECK(law.tail(5 * second) == 0);

  const std::array<service_atom, 2> weighted{{{2 * second, 3}, {1 * second, 1}}};
  CHECK(mean_service(empirical_service(std::span<const service_atom>(weighted))) == 1.75 * second);
}

TEST_CASE("laws of service refuse what is none", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(require_valid(deterministic_service{nan * second}), invalid_input);
  CHECK_THROWS_AS(require_valid(erlang_service{0, 1 * second}), invalid_input);
  CHECK_THROWS_AS(require_valid(erlang_service{1, 0 * second}), invalid_input);
  CHECK_THROWS_AS(require_valid(hyperexponential_service{1.1, 1 * second, 1 * second}),
                  invalid_input);
  CHECK_THROWS_AS(require_valid(hyperexponential_service{0.5, nan * second, 1 * second}),
                  invalid_input);
  CHECK_THROWS_AS(require_valid(uniform_service{2 * second, 1 * second}), invalid_input);
  CHECK_THROWS_AS(require_valid(lognormal_service{1 * second, nan}), invalid_input);
  CHECK_THROWS_AS(require_valid(weibull_service{0, 1 * second}), invalid_input);
  CHECK_THROWS_AS(require_valid(bounded_pareto_service{1, 2 * second, 1 * second}), invalid_input);
  CHECK_THROWS_AS(empirical_service(std::span<const seconds>{}), invalid_input);
  const std::vector<seconds> sizes{1 * second, nan * second};
  CHECK_THROWS_AS(empirical_service(sizes), invalid_input);
  const std::array<service_atom, 1> none{{{2 * second, 0}}};
  CHECK_THROWS_AS(empirical_service(std::span<const service_atom>(none)), invalid_input);
}

TEST_CASE("what varies less than rounding shows does not vary below nothing", "[queue][limits]") {
  for (const double tail : {1e8, 1e9, 1e10, 1e12})
    CHECK(squared_variation(bounded_pareto_service{tail, 1 * second, 1000 * second}) >= 0);
  CHECK(squared_variation(bounded_pareto_service{1e9, 1 * second, 2 * second}) < 1e-12);
}

TEST_CASE("bounded Pareto jobs that are all but equal vary as little", "[queue][limits]") {
  // E S^2 / (E S)^2 - 1 of the moments in closed form, with 120 decimal digits.
  struct known {
    double alpha, least, most, variation;
  };
  for (const known one :
       {known{2, 1, 1.0000000001, 8.33333471150624e-22},
        known{2, 1, 1.0000000000000002, 4.108650548026102e-33},
        known{1, 1, 1.000001, 8.333324998636808e-14}, known{0.5, 1, 1.01, 8.250774026054243e-06},
        known{2, 3600, 3600.001, 6.430039368761221e-15}, known{0.001, 1, 1.2, 0.002768571559373589},
        known{6, 1, 1.4, 0.0082654902326384}, known{50, 1, 1.001, 8.324009585488172e-08},
        known{2, 1, 1.5, 0.013662770270410955}, known{2.9, 1, 2.719, 0.07248805527760506},
        known{3, 1, 2.7, 0.07036766496225956}, known{3.2, 1, 2.7, 0.06780948342399185},
        known{5, 1, 3, 0.048666666666666664}, known{3.2, 1, 50, 0.2493412217358059},
        known{20, 1, 1000, 0.002777777777777778}, known{1e6, 1, 1.00001, 9.95461367720023e-13},
        known{1e9, 1, 2, 1.000000002e-18}, known{1.5, 1, 1000, 9.884799792761825}}) {
    INFO(one.alpha << " from " << one.least << " to " << one.most);
    CHECK_THAT(
        squared_variation(bounded_pareto_service{one.alpha, one.least * second, one.most * second}),
        WithinRel(one.variation, 1e-13));
  }
  const bounded_pareto_service close{2, 1 * second, 1.0000000001 * second};
  CHECK_THAT(mean_service(close) / second, WithinRel(1.00000000005, 1e-15));
}

}  // namespace
}  // namespace gpuplan
