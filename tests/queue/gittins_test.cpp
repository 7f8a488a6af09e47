#include <gpuplan/queue/gittins.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <gpuplan/queue/gittins_tiresias.hpp>
#include <gpuplan/queue/policy.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

empirical_service law_of(std::vector<service_atom> atoms) {
  return empirical_service(std::span<const service_atom>(atoms));
}

TEST_CASE("ranks by hand", "[queue][reference]") {
  // Nine of ten jobs take 1 s, one takes 10 s.
  const gittins_ranks ranks(law_of({{1 * second, 0.9}, {10 * second, 0.1}}));
  CHECK_THAT(ranks.rank(0 * second) / second, WithinRel(1 / 0.9, 1e-14));
  CHECK_THAT(ranks.rank(0.5 * second) / second, WithinRel(0.5 / 0.9, 1e-14));
  CHECK(ranks.rank(1 * second) == 9 * second);
  CHECK_THAT(ranks.rank(4 * second) / second, WithinRel(6.0, 1e-14));
  CHECK(ranks.rank(10 * second) == seconds{0});
}

TEST_CASE("a short job waits for what ranks as high as its start", "[queue][reference]") {
  // Of the same jobs, at 1/2 a second: the first second of each, and of one in ten the last 1/0.9 s,
  // when less is left than a new job is worth.  Then it takes its own second: it has ended at the
  // age where the rank falls to that of long jobs.
  const gittins_ranks ranks(law_of({{1 * second, 0.9}, {10 * second, 0.1}}));
  CHECK_THAT(gittins_response(ranks, 0.5 / second, 1 * second) / second,
             WithinRel(0.5 * (1 + 0.1 / 0.81) / (2 * (1 - 0.5)) + 1, 1e-13));
}

TEST_CASE("equal jobs: first come first served", "[queue][limits]") {
  const empirical_service law = law_of({{3 * hour, 1}});
  const per_second rate = 0.3 / hour;
  CHECK_THAT(gittins_response(gittins_ranks(law), rate) / hour,
             WithinRel(fcfs_wait(law, rate).response() / hour, 1e-13));
}

TEST_CASE("it is best of those that do not know sizes", "[queue][property]") {
  testing::check_property("between SRPT and the rest", [] {
    std::vector<service_atom> atoms;
    double size = 0;
    for (int i = *rc::gen::inRange(1, 7); i > 0; --i) {
      size += *rc::gen::inRange(1, 100);
      atoms.push_back({size * second, static_cast<double>(*rc::gen::inRange(1, 20))});
    }
    const empirical_service law = law_of(atoms);
    const double rho = *rc::gen::inRange(10, 990) / 1000.0;
    const per_second rate = rho / mean_service(law);
    const seconds mean = gittins_response(gittins_ranks(law), rate);
    const double slack = 1 + 1e-9;
    RC_ASSERT(srpt_response(law, rate) <= slack * mean);
    RC_ASSERT(mean <= slack * fcfs_wait(law, rate).response());
    RC_ASSERT(mean <= slack * processor_sharing_response(mean_service(law), rho));
    RC_ASSERT(mean <= slack * least_attained_response(law, rate));
    for (const service_atom& atom : law.atoms())
      RC_ASSERT(gittins_response(gittins_ranks(law), rate, atom.size) >= atom.size * (1 - 1e-12));
  });
}

TEST_CASE("Gittins in overload, and without jobs", "[queue][limits]") {
  const gittins_ranks ranks(law_of({{1 * second, 0.9}, {10 * second, 0.1}}));
  CHECK(gittins_response(ranks, 0 / second, 10 * second) == 10 * second);
  CHECK(std::isinf(gittins_response(ranks, 1 / second) / second));
  CHECK(gittins_response(ranks, 0.9 / second, 1 * second) < 10 * second);
}

TEST_CASE("ranks refuse what is none", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const gittins_ranks ranks(law_of({{1 * second, 1}}));
  CHECK_THROWS_AS(ranks.rank(-1 * second), invalid_input);
  CHECK_THROWS_AS(gittins_response(ranks, nan / second), invalid_input);
  CHECK_THROWS_AS(gittins_response(ranks, 1 / second, nan * second), invalid_input);
  CHECK_THROWS_AS(tiresias_index({}, 0 * second, 1 * second), invalid_input);
  const std::array sizes{1 * second};
  CHECK_THROWS_AS(tiresias_index(sizes, nan * second, 1 * second), invalid_input);
  CHECK_THROWS_AS(tiresias_index(sizes, 0 * second, 0 * second), invalid_input);
}

}  // namespace
}  // namespace gpuplan
