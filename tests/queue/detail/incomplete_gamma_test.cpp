#include <gpuplan/queue/detail/incomplete_gamma.hpp>

#include <limits>

#include <boost/math/special_functions/gamma.hpp>

#include "support/catch.hpp"

namespace gpuplan::detail {
namespace {

TEST_CASE("the incomplete gamma function agrees with that of Boost.Math", "[queue][cross-check]") {
  const double s = GENERATE(0.05, 0.5, 1.0, 1.9, 3.0, 7.7, 25.0, 120.0);
  for (const double place : {1e-8, 1e-3, 0.1, 0.5, 0.9, 1.0, 1.2, 2.0, 5.0, 20.0}) {
    const double x = place * s;
    INFO("s " << s << ", x " << x);
    if (const double p = boost::math::gamma_p(s, x); p > 1e-290)
      CHECK_THAT(gamma_p(s, x), WithinRel(p, 1e-12));
    if (const double q = boost::math::gamma_q(s, x); q > 1e-290)
      CHECK_THAT(gamma_q(s, x), WithinRel(q, 1e-12));
  }
}

TEST_CASE("the ends of the incomplete gamma function", "[queue][limits]") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  CHECK(gamma_p(2, 0) == 0);
  CHECK(gamma_q(2, 0) == 1);
  CHECK(gamma_p(2, inf) == 1);
  CHECK(gamma_q(2, inf) == 0);
  CHECK(std::isnan(gamma_p(2, std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace gpuplan::detail
