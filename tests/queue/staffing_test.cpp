#include <gpuplan/queue/staffing.hpp>

#include <limits>

#include <gpuplan/queue/mmc.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr job_stream jobs{.arrival_rate = 4 / hour, .mean_service = 10 * hour};

static_assert(fewest_servers(jobs, mean_wait_limit{1 * hour}) == 45);
static_assert(fewest_servers(jobs, wait_probability_limit{0.1}) == 50);
static_assert(fewest_servers(jobs, mean_response_limit{11 * hour}) == 45);
static_assert(fewest_servers(jobs, loss_limit{0.01}) == 53);
static_assert(largest_arrival_rate({64, 10 * hour}, mean_wait_limit{1 * hour}) > 5.8 / hour);

// What must not compile.

template <class Limit>
concept is_a_promise = requires(Limit limit) {
  fewest_servers(jobs, limit);
};
static_assert(is_a_promise<mean_wait_limit>);
static_assert(!is_a_promise<seconds>, "a time may be the wait's or the response's");
static_assert(!is_a_promise<double>);

double measure(const workload& of, const loss_limit&) {
  return erlang_b(of.servers, of.offered_load());
}
double measure(const workload& of, const wait_probability_limit&) {
  return wait(of).probability;
}
double measure(const workload& of, const mean_wait_limit&) {
  return wait(of).mean / second;
}
double measure(const workload& of, const mean_response_limit&) {
  return wait(of).response() / second;
}
double measure(const workload& of, const wait_tail_limit& limit) {
  return wait(of).stable() ? wait_law_of(wait(of)).tail(limit.time) : 1;
}

template <class Limit>
void keeps_its_promise(const job_stream& stream, const Limit& limit, double bound) {
  const int fewest = fewest_servers(stream, limit);
  const auto of = [&](int servers) {
    return workload{stream.arrival_rate, stream.mean_service, servers};
  };
  RC_ASSERT(measure(of(fewest), limit) <= bound * (1 + 1e-12));
  if (fewest > 1) RC_ASSERT(measure(of(fewest - 1), limit) >= bound * (1 - 1e-12));

  const per_second most = largest_arrival_rate({fewest, stream.mean_service}, limit);
  RC_ASSERT(most >= stream.arrival_rate * (1 - 1e-12));
  RC_ASSERT(measure({most, stream.mean_service, fewest}, limit) <= bound * (1 + 1e-9));
  RC_ASSERT(measure({most * (1 + 1e-9), stream.mean_service, fewest}, limit) >= bound * (1 - 1e-9));
}

TEST_CASE("one server fewer, or a job more, breaks the promise", "[queue][property]") {
  testing::check_property("of every kind", [] {
    const job_stream stream{*rc::gen::inRange(1, 3000) / 10.0 / hour,
                            *rc::gen::inRange(1, 200) * minute};
    const double p = *rc::gen::inRange(1, 500) / 1000.0;
    const seconds t = *rc::gen::inRange(1, 300) * minute;
    keeps_its_promise(stream, loss_limit{p}, p);
    keeps_its_promise(stream, wait_probability_limit{p}, p);
    keeps_its_promise(stream, mean_wait_limit{t}, t / second);
    keeps_its_promise(stream, mean_response_limit{stream.mean_service + t},
                      (stream.mean_service + t) / second);
    keeps_its_promise(stream, wait_tail_limit{t, p}, p);
  });
}

TEST_CASE("promises that cannot be kept are refused", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(fewest_servers(jobs, mean_response_limit{10 * hour}), invalid_input);
  CHECK_THROWS_AS(fewest_servers(jobs, mean_wait_limit{0 * hour}), invalid_input);
  CHECK_THROWS_AS(fewest_servers(jobs, mean_wait_limit{nan * hour}), invalid_input);
  CHECK_THROWS_AS(fewest_servers(jobs, wait_probability_limit{0}), invalid_input);
  CHECK_THROWS_AS(fewest_servers(jobs, loss_limit{1}), invalid_input);
  CHECK_THROWS_AS(fewest_servers(jobs, wait_tail_limit{-1 * hour, 0.1}), invalid_input);
  CHECK_THROWS_AS(fewest_servers(jobs, wait_tail_limit{1 * hour, nan}), invalid_input);
  CHECK_THROWS_AS(fewest_servers({0 / hour, 1 * hour}, loss_limit{0.1}), invalid_input);
  CHECK_THROWS_AS(fewest_servers({1 / hour, nan * hour}, loss_limit{0.1}), invalid_input);
  CHECK_THROWS_AS(largest_arrival_rate({0, 1 * hour}, loss_limit{0.1}), invalid_input);
  CHECK_THROWS_AS(largest_arrival_rate({1, 0 * hour}, loss_limit{0.1}), invalid_input);
  CHECK_THROWS_AS(largest_arrival_rate({1, 1 * hour}, loss_limit{0}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
