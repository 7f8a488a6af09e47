#include <gpuplan/calibrate/service_fit.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;
using testing::check_property;

template <class... Args>
concept moments_accept = requires(Args... args) {
  lognormal_of_moments(args...);
};
static_assert(!moments_accept<double, double>, "a mean needs a unit");

/// Sizes at the middles of n shares of a law: no chance in them.
template <class Law>
std::vector<seconds> quantiles(const Law& law, int n) {
  std::vector<seconds> sizes;
  for (int i = 0; i < n; ++i) {
    double low = -400;
    double high = 400;
    for (int halvings = 0; halvings < 60; ++halvings) {
      const double middle = (low + high) / 2;
      (law.tail(std::exp(middle) * second) > 1 - (i + 0.5) / n ? low : high) = middle;
    }
    sizes.push_back(std::exp(high) * second);
  }
  return sizes;
}

/// In an order that hides their size.
std::vector<seconds> shuffled(std::vector<seconds> sizes) {
  random_numbers random{7};
  for (std::size_t i = sizes.size(); i > 1; --i) std::swap(sizes[i - 1], sizes[random.below(i)]);
  return sizes;
}

/// ln L by the density itself, where that is not 0.
template <class Law>
double log_likelihood(const Law& law, const std::vector<seconds>& sizes) {
  double sum = 0;
  for (const seconds size : sizes) sum += std::log(law.density(size) * second);
  return sum / static_cast<double>(sizes.size());
}

TEST_CASE("laws have the moments that they were made of", "[calibrate][property]") {
  check_property("mean and variation come back", [] {
    const seconds mean = std::exp(*rc::gen::inRange(-100, 100) / 10.0) * second;
    const double low = std::exp(*rc::gen::inRange(-50, 1) / 10.0);     // 0.0067 to 1
    const double high = std::exp(*rc::gen::inRange(0, 1000) / 100.0);  // 1 to 22 000
    const auto close = [](double a, double b, double by) {
      return std::abs(a - b) <= by * std::abs(b);
    };
    const auto check = [&](const auto& law, double variation, double by) {
      require_valid(law);
      RC_ASSERT(close(mean_service(law) / mean, 1, 1e-11));
      RC_ASSERT(close(squared_variation(law), variation, by));
    };
    for (const double variation : {low, high}) {
      check(lognormal_of_moments(mean, variation), variation, 1e-9);
      check(weibull_of_moments(mean, variation), variation, 1e-8);
    }
    check(hyperexponential_of_moments(mean, high), high, 1e-9);
    const hyperexponential_service balanced = hyperexponential_of_moments(mean, high);
    RC_ASSERT(close(balanced.first_share * (balanced.first_mean / mean), 0.5, 1e-12));
    const erlang_service erlang = erlang_of_moments(mean, low);
    RC_ASSERT(erlang.phases == 100 ||
              std::abs(1.0 / erlang.phases - low) <=
                  std::min(std::abs(1.0 / (erlang.phases + 1) - low),
                           erlang.phases > 1 ? std::abs(1.0 / (erlang.phases - 1) - low) : 2.0) +
                      0.05);
  });
  CHECK(erlang_of_moments(1 * hour, 0.25).phases == 4);
  CHECK(hyperexponential_of_moments(1 * hour, 1).first_share == 0.5);
}

TEST_CASE("the parameters of a law come back from its sizes", "[calibrate][reference]") {
  const auto sample = [](const auto& law) { return empirical_service{quantiles(law, 1500)}; };
  const auto exponential = sample(exponential_service(2 * hour));
  CHECK(erlang_of_likelihood(exponential).phases == 1);
  for (const int phases : {2, 7, 40}) {
    const erlang_service law = erlang_of_likelihood(sample(erlang_service{phases, 3 * hour}));
    CHECK(law.phases == phases);
    CHECK_THAT(law.mean / hour, WithinRel(3, 1e-3));
  }
  for (const double shape : {0.3, 1.0, 6.0}) {
    const auto law = weibull_of_likelihood(sample(weibull_service{shape, 5 * minute}));
    REQUIRE(law);
    CHECK_THAT(law->shape, WithinRel(shape, 3e-3));
    CHECK_THAT(law->scale / minute, WithinRel(5, 3e-3));
  }
  for (const double sigma : {0.1, 1.0, 2.2}) {
    const auto law = lognormal_of_likelihood(sample(lognormal_service{5 * minute, sigma}));
    REQUIRE(law);
    CHECK_THAT(law->sigma, WithinRel(sigma, 3e-3));
    CHECK_THAT(law->median / minute, WithinRel(5, 1e-9));
  }
  for (const double alpha : {0.2, 1.0, 2.5}) {
    const bounded_pareto_service of{alpha, 1 * minute, 100 * hour};
    const auto law = bounded_pareto_of_likelihood(sample(of));
    REQUIRE(law);
    CHECK_THAT(law->alpha, WithinRel(alpha, 1e-2));
  }
}

TEST_CASE("no other parameter is more likely", "[calibrate][property]") {
  check_property("a step to either side is less likely", [] {
    std::vector<seconds> sizes;
    const auto logs = *rc::gen::container<std::vector<int>>(8, rc::gen::inRange(-300, 300));
    for (const int log : logs) sizes.push_back(std::exp(log / 60.0) * second);
    RC_PRE(std::adjacent_find(sizes.begin(), sizes.end(), std::not_equal_to<>{}) != sizes.end());
    const empirical_service sample{sizes};
    const auto top = [&](const auto& best, const auto& other) {
      const double most = log_likelihood(best, sizes);
      RC_ASSERT(std::abs(mean_log_density(best, sample) - most) <= 1e-10 * (1 + std::abs(most)));
      RC_ASSERT(log_likelihood(other, sizes) <= most + 1e-12 * (1 + std::abs(most)));
    };
    for (const double step : {0.99, 1.01}) {
      if (const auto law = lognormal_of_likelihood(sample)) {
        top(*law, lognormal_service{law->median * step, law->sigma});
        top(*law, lognormal_service{law->median, law->sigma * step});
      }
      if (const auto law = weibull_of_likelihood(sample)) {
        top(*law, weibull_service{law->shape * step, law->scale});
        top(*law, weibull_service{law->shape, law->scale * step});
      }
      if (const auto law = bounded_pareto_of_likelihood(sample))
        top(*law, bounded_pareto_service{law->alpha * step, law->least, law->most});
      const erlang_service erlang = erlang_of_likelihood(sample);
      top(erlang, erlang_service{erlang.phases, erlang.mean * step});
      if (erlang.phases < 100) top(erlang, erlang_service{erlang.phases + 1, erlang.mean});
      if (erlang.phases > 1) top(erlang, erlang_service{erlang.phases - 1, erlang.mean});
    }
  });
}

TEST_CASE("the likelihood of a hyperexponential law far in its tail", "[calibrate]") {
  const hyperexponential_service law{0.5, 1 * second, 1000 * second};
  const std::vector<seconds> sizes{1 * second, 50 * second, 5000 * second};
  CHECK_THAT(mean_log_density(law, empirical_service{sizes}),
             WithinRel(log_likelihood(law, sizes), 1e-13));
  const std::vector<seconds> far{1e6 * second};  // the density itself is 0
  CHECK_THAT(mean_log_density(law, empirical_service{far}),
             WithinRel(std::log(0.5 / 1000) - 1000, 1e-13));
}

TEST_CASE("the distance of a law from a sample", "[calibrate]") {
  // One job at the median: the law has half of its weight on either side.
  const std::vector<seconds> one{std::log(2) * hour};
  CHECK_THAT(distance_between(exponential_service(1 * hour), empirical_service{one}),
             WithinRel(0.5, 1e-14));
  // n quantiles at the middles of their shares: 1/(2n).
  const auto law = lognormal_service{1 * hour, 2};
  CHECK_THAT(distance_between(law, empirical_service{quantiles(law, 50)}), WithinRel(0.01, 1e-9));
  const std::vector<seconds> far{1e9 * hour};
  CHECK(distance_between(exponential_service(1 * hour), empirical_service{far}) == 1);
}

TEST_CASE("the law that sizes come from is chosen", "[calibrate][reference]") {
  const auto family = [](const auto& law, int n) {
    return fit_service(shuffled(quantiles(law, n))).family();
  };
  CHECK(family(exponential_service(1 * hour), 1500) == service_family::exponential);
  CHECK(family(erlang_service{5, 1 * hour}, 1500) == service_family::erlang);
  CHECK(family(lognormal_service{1 * hour, 1}, 1500) == service_family::lognormal);
  CHECK(family(weibull_service{0.6, 1 * hour}, 1500) == service_family::weibull);
  CHECK(family(bounded_pareto_service{1.1, 1 * minute, 20 * hour}, 1500) ==
        service_family::bounded_pareto);
  CHECK(family(hyperexponential_of_moments(1 * hour, 6), 1500) == service_family::hyperexponential);
}

TEST_CASE("where no law fits the sample itself is chosen", "[calibrate]") {
  std::vector<seconds> two;
  for (int i = 0; i < 1000; ++i) two.push_back(i % 10 == 0 ? 10 * hour : 1 * minute);
  const service_fit fit = fit_service(two);
  CHECK_FALSE(fit.chosen);
  CHECK(fit.family() == service_family::empirical);
  CHECK(fit.candidates.size() >= 5);
  CHECK(std::is_sorted(fit.candidates.begin(), fit.candidates.end(),
                       [](const auto& a, const auto& b) { return a.akaike() < b.akaike(); }));
  for (const service_candidate& candidate : fit.candidates) CHECK(candidate.distance > 0.2);

  // A lognormal law cut at twice its mean: likely, and near, but of another variation.
  auto cut = shuffled(quantiles(lognormal_service{1 * hour, 2.2}, 4000));
  for (seconds& size : cut) size = smaller(size, 500 * hour);
  const service_fit of_cut = fit_service(cut);
  CHECK(of_cut.candidates.front().family == service_family::lognormal);
  CHECK(of_cut.candidates.front().distance < 0.05);
  CHECK_FALSE(of_cut.variation_interval.holds(of_cut.candidates.front().variation));
  CHECK(of_cut.family() != service_family::lognormal);
}

TEST_CASE("equal durations and extreme ones have candidates without end", "[calibrate][limits]") {
  const service_fit equal = fit_service(std::vector<seconds>(100, 1 * hour));
  CHECK(equal.variation < 1e-12);
  CHECK(equal.family() == service_family::empirical);
  for (const service_candidate& candidate : equal.candidates)
    CHECK(std::isfinite(candidate.akaike()));

  std::vector<seconds> wide(100, 1e-6 * second);
  wide[50] = 1e12 * second;
  for (const service_candidate& candidate : fit_service(wide).candidates) {
    INFO(name_of(candidate.family));
    CHECK(std::isfinite(candidate.akaike()));
    CHECK(candidate.distance <= 1);
  }
}

TEST_CASE("what no law can be fitted to is refused", "[calibrate][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH(fit_service(std::vector<seconds>(7, 1 * hour)),
                    "fit_service: durations must be >= 8");
  std::vector<seconds> with_zero(10, 1 * hour);
  with_zero[4] = 0 * second;
  CHECK_THROWS_AS(fit_service(with_zero), invalid_input);
  CHECK_THROWS_AS(fit_service(std::vector<seconds>(9, 1 * hour), {.largest_distance = nan}),
                  invalid_input);
  for (const double wrong : {0.0, -1.0, nan}) {
    CHECK_THROWS_AS(erlang_of_moments(wrong * hour, 1), invalid_input);
    CHECK_THROWS_AS(erlang_of_moments(1 * hour, wrong), invalid_input);
    CHECK_THROWS_AS(lognormal_of_moments(wrong * hour, 1), invalid_input);
    CHECK_THROWS_AS(lognormal_of_moments(1 * hour, wrong), invalid_input);
    CHECK_THROWS_AS(weibull_of_moments(wrong * hour, 1), invalid_input);
    CHECK_THROWS_AS(weibull_of_moments(1 * hour, wrong), invalid_input);
    CHECK_THROWS_AS(hyperexponential_of_moments(wrong * hour, 1), invalid_input);
    CHECK_THROWS_AS(hyperexponential_of_moments(1 * hour, wrong), invalid_input);
  }
  CHECK_THROWS_AS(hyperexponential_of_moments(1 * hour, 0.999), invalid_input);
  CHECK_THROWS_AS(weibull_of_moments(1 * hour, 1e6), invalid_input);
}

}  // namespace
}  // namespace gpuplan
