#include <gpuplan/simulate/simulate_sharing.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gpuplan/simulate/simulate.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;
using jobs_of_pool = std::vector<trace_job>;
using numbers = std::vector<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();

static_assert(find_sharing_policy("AntMan")->policy.rule == sharing_rule::opportunistic);
static_assert(find_sharing_policy("fcfs") == nullptr);

constexpr trace_job job(double submit, double duration, std::int64_t gpus) {
  return {seconds{submit}, seconds{duration}, gpus};
}

std::vector<simulated_job> records(const jobs_of_pool& jobs, std::int64_t gpus,
                                   const sharing_policy& policy) {
  std::vector<simulated_job> each(jobs.size());
  simulate_sharing(jobs, gpus, policy, each);
  return each;
}
numbers ends(const sharing_policy& policy, const jobs_of_pool& jobs, std::int64_t gpus) {
  numbers found;
  for (const simulated_job& of : records(jobs, gpus, policy)) found.push_back(of.end.in(second));
  return found;
}

/// 1 / S(n)
double step(double p, double gpus) {
  return 1 - p + p / gpus;
}

TEST_CASE("marginal gain, by hand", "[queue][simulator][reference]") {
  const sharing_policy linear{.rule = sharing_rule::marginal_gain};
  // 4 GPU s of work each, and speed grows as GPUs.  Alone with 4 GPUs to 0.5; then two each; the
  // second alone from 1 on, with 2 GPU s left.
  CHECK(ends(linear, {job(0, 4, 1)}, 4) == numbers{1});
  CHECK(ends(linear, {job(0, 4, 1), job(0, 4, 1)}, 4) == numbers{2, 2});
  CHECK(ends(linear, {job(0, 4, 1), job(0.5, 4, 1)}, 4) == numbers{1.5, 2});
  // GPUs of the trace count as they are: 2 s on 2 GPUs are 4 GPU s.
  CHECK(ends(linear, {job(0, 2, 2)}, 4) == numbers{1});
  // Nothing is dealt before 10: the second waits, and the GPUs of the first stay idle from 1 on.
  sharing_policy rounds = linear;
  rounds.interval = 10 * second;
  CHECK(ends(rounds, {job(0, 4, 1), job(0.5, 4, 1)}, 4) == numbers{1, 11});
  const auto each = records({job(0, 4, 1), job(0.5, 4, 1)}, 4, rounds);
  CHECK(each[1].wait == 9.5 * second);
  CHECK(each[1].start == 10 * second);
  // At 0.5 the first gives up two GPUs and loses 1 s; the second starts at once.
  sharing_policy restarts = linear;
  restarts.restart_time = 1 * second;
  const auto slow = records({job(0, 4, 1), job(0.5, 4, 1)}, 4, restarts);
  CHECK(slow[0].end == 2.5 * second);  // 2 GPU s left on 2 GPUs, from 1.5 on
  CHECK(slow[0].wait == 1 * second);
  // The second has 1 s left on 2 GPUs at 2.5: with 4 it would take half, and a restart.
  CHECK(slow[1].end == 2.5 * second);
}

TEST_CASE("a job may be dealt anew in a restart", "[queue][simulator][reference]") {
  // At 1 the first has done 2 of 16 GPU s, and the second 1: both restart, the first from within
  // a restart, on one GPU to 9, when the third ends; then both on two; the second alone from 15.
  const sharing_policy slow{.rule = sharing_rule::marginal_gain, .restart_time = 2 * second};
  const auto each = records({job(0, 16, 1), job(0.5, 16, 1), job(1, 16, 1)}, 4, slow);
  CHECK(each[0].end == 15 * second);
  CHECK(each[0].wait == 4.5 * second);  // 0.5 to 3, 9 to 11
  CHECK(each[1].end == 17.25 * second);
  CHECK(each[1].wait == 6 * second);
  CHECK(each[2].end == 9 * second);
  CHECK(each[2].wait == 0 * second);
}

TEST_CASE("marginal gain follows Amdahl's law", "[queue][simulator][reference]") {
  const sharing_policy half{.rule = sharing_rule::marginal_gain, .parallel_part = 0.5};
  // Of a job on 2 GPUs a step is 0.75; on 4 GPUs 0.625.
  CHECK(ends(half, {job(0, 3, 2)}, 4) == numbers{2.5});
  // More jobs than GPUs: in the order of arrival, with one each.
  CHECK(ends(half, {job(0, 3, 2), job(0, 3, 2), job(0, 3, 2)}, 2) == numbers{4, 4, 7});
}

TEST_CASE("speed-ups as measured", "[queue][simulator][reference]") {
  const std::vector<double> measured{1, 1.5, 2.5};
  for (const sharing_rule rule : {sharing_rule::marginal_gain, sharing_rule::goodput}) {
    const sharing_policy policy{.rule = rule, .speed_ups = measured};
    CHECK(ends(policy, {job(0, 3, 1)}, 2) == numbers{2});
    CHECK(ends(policy, {job(0, 3, 2)}, 2) == numbers{3});
    CHECK(ends(policy, {job(0, 5, 3)}, 8) == numbers{5});  // beyond the last no faster
  }
}

TEST_CASE("the configurations of Sia, by hand", "[queue][simulator][reference]") {
  const sharing_policy linear{.rule = sharing_rule::goodput};
  CHECK(ends(linear, {job(0, 4, 1)}, 4) == numbers{1});
  // Of 4 GPUs two each cost 2/sqrt(2) = 1.41, all for one 1/sqrt(4) + 1.1 = 1.6.
  CHECK(ends(linear, {job(0, 4, 1), job(0, 4, 1)}, 4) == numbers{2, 2});
  // Of 2 GPUs both for the first cost 1/sqrt(2) + 1.1 = 1.81, one each 2; who came first is first.
  CHECK(ends(linear, {job(0, 4, 1), job(0, 4, 1), job(0, 4, 1)}, 2) == numbers{2, 4, 6});
  // 3 GPUs: a power of two each.
  CHECK(ends(linear, {job(0, 4, 1)}, 3) == numbers{2});
}

TEST_CASE("Sia restarts a job where it pays, by hand", "[queue][simulator][reference]") {
  // All 4 GPUs for the first and none for the second cost 1.6; two each cost 1/sqrt(2 r) + 0.737,
  // r = t / (t + 10): less from r = 0.6715 on, t = 20.44.
  const sharing_policy linear{.rule = sharing_rule::goodput, .restart_time = 10 * second};
  CHECK(ends(linear, {job(0, 400, 1), job(20, 16, 1)}, 4) == numbers{100, 104});
  // From 21 on both; at 29 the first, once restarted, keeps its two: 4 r = 4 (29 - 10) / (29 + 10)
  // is less than 2.118; at 40 it is 4 x 30 / 50, and it restarts with four.
  CHECK(ends(linear, {job(0, 400, 1), job(21, 16, 1)}, 4) == numbers{189, 29});
  CHECK(ends(linear, {job(0, 400, 1), job(21, 38, 1)}, 4) == numbers{124.5, 40});
}

TEST_CASE("opportunistic jobs, by hand", "[queue][simulator][reference]") {
  const sharing_policy quarter{.rule = sharing_rule::opportunistic, .idle = 0.25};
  // The second has a third of the speed beside the first: 2 of 6 s by 6, then alone.
  CHECK(ends(quarter, {job(0, 6, 1), job(0, 6, 1)}, 1) == numbers{6, 10});
  // One on each GPU: the third waits until 6, and is then beside the second to 10.
  const jobs_of_pool three{job(0, 6, 1), job(0, 6, 1), job(0, 6, 1)};
  const numbers found = ends(quarter, three, 1);
  CHECK(found[1] == 10);
  CHECK(found[2] == Approx(10 + 6 - 4 / 3.0));
  CHECK(records(three, 1, quarter)[2].wait == 6 * second);
  CHECK(records(three, 1, quarter)[1].wait == 0 * second);
  // On GPUs that the first that waits cannot use a later one has its whole speed.
  CHECK(ends(quarter, {job(0, 6, 1), job(0, 6, 2), job(0, 3, 1)}, 2) == numbers{6, 12, 3});
  // Half idle is enough for two.  Nothing idle is first come first served.
  CHECK(ends({.rule = sharing_rule::opportunistic, .idle = 0.5}, three, 1) == numbers{6, 6, 12});
  CHECK(ends({.rule = sharing_rule::opportunistic}, three, 1) == numbers{6, 12, 18});
}

/// Jobs of whole seconds; at times several come at once, and some take no time.
jobs_of_pool random_jobs(std::size_t count, int spread) {
  jobs_of_pool jobs(count);
  double now = 0;
  for (trace_job& each : jobs) {
    now += *rc::gen::inRange(0, spread);
    each = job(now, *rc::gen::inRange(0, 60), *rc::gen::inRange<std::int64_t>(1, 10));
  }
  return jobs;
}
sharing_policy random_policy(sharing_rule rule) {
  return {.rule = rule,
          .parallel_part = *rc::gen::element(0.0, 0.5, 0.9, 1.0),
          .interval = *rc::gen::inRange(0, 20) * second,
          .restart_time = *rc::gen::inRange(0, 4) * second,
          .idle = *rc::gen::element(0.0, 0.1, 0.3, 0.5, 0.9)};
}

TEST_CASE("what holds of every pool whose jobs share", "[queue][simulator][property]") {
  testing::check_property("no job is lost, and none is faster than on all GPUs", [] {
    const jobs_of_pool jobs = random_jobs(40, *rc::gen::inRange(1, 30));
    const auto gpus = *rc::gen::inRange<std::int64_t>(9, 24);
    for (const named_sharing_policy& of : sharing_policies) {
      const sharing_policy policy = random_policy(of.policy.rule);
      std::vector<simulated_job> each(jobs.size());
      const simulated_waiting sum = simulate_sharing(jobs, gpus, policy, each);
      RC_ASSERT(sum.jobs == 40);
      const bool elastic = policy.rule != sharing_rule::opportunistic;
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        RC_ASSERT(each[i].start >= jobs[i].submit);
        RC_ASSERT(each[i].end < infinity * second);
        const double p = policy.parallel_part;
        const double most =
            elastic ? step(p, static_cast<double>(jobs[i].gpus)) / step(p, double(gpus)) : 1;
        const seconds busy = each[i].end - jobs[i].submit - each[i].wait;
        RC_ASSERT(busy * most >= jobs[i].duration * (1 - 1e-9) - 1e-9 * second);
      }
      RC_ASSERT(records(jobs, gpus, policy).back().end == each.back().end);
    }
  });
  testing::check_property("the pool does no more than all its GPUs can", [] {
    // Where speed grows as GPUs, work is GPU s.
    const jobs_of_pool jobs = random_jobs(40, 2);
    seconds work{};
    for (const trace_job& of : jobs) work += static_cast<double>(of.gpus) * of.duration;
    for (const sharing_rule rule : {sharing_rule::marginal_gain, sharing_rule::goodput}) {
      sharing_policy policy = random_policy(rule);
      policy.parallel_part = 1;
      const simulated_waiting sum = simulate_sharing(jobs, 16, policy);
      RC_ASSERT(sum.mean_busy_gpus <= 16 * (1 + 1e-9));
      RC_ASSERT(abs(sum.mean_busy_gpus * sum.makespan - work) <= 1e-9 * work);
    }
  });
  testing::check_property("marginal gain leaves no GPU idle that speeds a job up", [] {
    // All come at once: with linear speed the pool is busy to the end.
    jobs_of_pool jobs = random_jobs(20, 1);
    jobs.push_back(job(jobs.back().submit.in(second), 5, 1));
    seconds work{};
    for (const trace_job& of : jobs) work += static_cast<double>(of.gpus) * of.duration;
    const simulated_waiting sum = simulate_sharing(jobs, 12, {});
    RC_ASSERT(abs(sum.makespan - work / 12) <= 1e-9 * work);
  });
  testing::check_property("a job alone takes its own time", [] {
    const double p = *rc::gen::element(0.0, 0.5, 0.9, 1.0);
    const auto gpus = *rc::gen::element<std::int64_t>(8, 16, 64);
    const jobs_of_pool one{
        job(5, *rc::gen::inRange(1, 100), *rc::gen::inRange<std::int64_t>(1, 9))};
    for (const named_sharing_policy& of : sharing_policies) {
      sharing_policy policy = of.policy;
      policy.parallel_part = p;
      policy.idle = 0.3;
      const simulated_job found = records(one, gpus, policy).front();
      const double speed =
          policy.rule == sharing_rule::opportunistic || p == 0
              ? 1
              : step(p, static_cast<double>(one[0].gpus)) / step(p, static_cast<double>(gpus));
      RC_ASSERT(abs((found.end - found.start) * speed - one[0].duration) <= 1e-9 * second);
      RC_ASSERT(found.wait == 0 * second);
    }
  });
}

TEST_CASE("opportunistic jobs delay nobody", "[queue][simulator][property]") {
  testing::check_property("every job ends no later than first come, first served", [] {
    const jobs_of_pool jobs = random_jobs(60, *rc::gen::inRange(1, 20));
    const auto gpus = *rc::gen::inRange<std::int64_t>(9, 24);
    std::vector<simulated_job> alone(jobs.size());
    simulate(jobs, gpus, {}, alone);
    const auto each = records(jobs, gpus, random_policy(sharing_rule::opportunistic));
    for (std::size_t i = 0; i < jobs.size(); ++i)
      RC_ASSERT(each[i].end <= alone[i].end + 1e-9 * second);
  });
}

TEST_CASE("every deal of a rule fits the pool", "[queue][simulator][property]") {
  testing::check_property("GPUs dealt are those there are", [] {
    const auto gpus = *rc::gen::inRange<std::int64_t>(9, 24);
    std::vector<detail::shared_job> jobs(*rc::gen::inRange<std::size_t>(1, 40));
    for (std::size_t i = 0; i < jobs.size(); ++i)
      jobs[i] = {.index = i,
                 .gpus = *rc::gen::inRange<std::int64_t>(1, 10),
                 .left = *rc::gen::inRange(1, 50) * second};
    const sharing_policy policy = random_policy(sharing_rule::marginal_gain);
    detail::marginal_gain_rule gain{policy, gpus};
    detail::goodput_rule goodput{policy, gpus};
    detail::opportunistic_rule beside{policy, gpus};
    for (int round = 0; round < 3; ++round) {
      const auto deal = [&](auto& rule, std::int64_t most) {
        rule.deal(jobs, round * 100 * second);
        std::int64_t held = 0;
        bool runs = false;
        for (detail::shared_job& of : jobs) {
          RC_ASSERT((of.next_held > 0) == (of.next_speed > 0));
          held += of.next_held;
          runs = runs || of.next_speed > 0;
          of.held = of.next_held;
          of.speed = of.next_speed;
        }
        RC_ASSERT(held <= most);
        RC_ASSERT(runs);
      };
      deal(beside, 2 * gpus);  // each at most twice: one job beside another
      for (detail::shared_job& of : jobs) of.held = 0;
      deal(gain, gpus);
      for (detail::shared_job& of : jobs) of.held = 0;
      deal(goodput, gpus);
      deal(goodput, gpus);
    }
  });
}

TEST_CASE("no job, and jobs that never fit", "[queue][simulator]") {
  for (const named_sharing_policy& of : sharing_policies) {
    CHECK(simulate_sharing({}, 4, of.policy).jobs == 0);
    const jobs_of_pool jobs{job(0, 1, 5), job(1, 1, 1)};
    const auto each = records(jobs, 4, of.policy);
    CHECK(each[0].end == infinity * second);
    CHECK(each[1].end < infinity * second);
    CHECK(simulate_sharing(jobs, 4, of.policy).impossible == 1);
    const jobs_of_pool many{job(0, 1, 1), job(0, 1, 1), job(0, 1, 1)};
    CHECK(simulate_sharing(many, 1, of.policy).longest_queue == 2);
  }
}

TEST_CASE("bad pools are refused", "[queue][simulator][errors]") {
  const jobs_of_pool jobs{job(0, 1, 1)};
  const double nan = std::nan("");
  for (const sharing_policy& bad :
       {sharing_policy{.parallel_part = 1.1}, sharing_policy{.parallel_part = nan},
        sharing_policy{.interval = -1 * second}, sharing_policy{.interval = nan * second},
        sharing_policy{.restart_time = -1 * second}, sharing_policy{.restart_time = nan * second},
        sharing_policy{.idle = 1}, sharing_policy{.idle = -0.1}, sharing_policy{.idle = nan}})
    CHECK_THROWS_AS(simulate_sharing(jobs, 1, bad), invalid_input);
  for (const double bad : {0.0, -1.0, nan, infinity}) {
    const std::vector<double> measured{1, bad};
    CHECK_THROWS_AS(simulate_sharing(jobs, 1, {.speed_ups = measured}), invalid_input);
  }
  CHECK_THROWS_AS(simulate_sharing(jobs, 0, {}), invalid_input);
  CHECK_THROWS_AS(simulate_sharing(jobs, 1 << 21, {}), invalid_input);
  CHECK_THROWS_AS(simulate_sharing(jobs, 4097, {.rule = sharing_rule::goodput}), invalid_input);
  CHECK_THROWS_AS(simulate_sharing(jobs_of_pool{job(1, 1, 1), job(0, 1, 1)}, 1, {}), invalid_input);
  CHECK_THROWS_AS(simulate_sharing(jobs_of_pool{job(0, nan, 1)}, 1, {}), invalid_input);
  std::vector<simulated_job> two(2);
  CHECK_THROWS_AS(simulate_sharing(jobs, 1, {}, two), invalid_input);
}

}  // namespace
}  // namespace gpuplan
