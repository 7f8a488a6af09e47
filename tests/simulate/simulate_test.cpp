#include <gpuplan/simulate/simulate.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <boost/math/distributions/students_t.hpp>

#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/multilevel.hpp>
#include <gpuplan/queue/policy.hpp>
#include <gpuplan/queue/service_empirical.hpp>
#include <gpuplan/simulate/replications.hpp>
#include <gpuplan/simulate/saturated.hpp>

#include "simulate/oracle.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan::testing {
namespace {

using namespace units;
using jobs_of_pool = std::vector<trace_job>;
using numbers = std::vector<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class... Args>
concept simulate_accepts = requires(Args... args) {
  simulate(args...);
};
static_assert(simulate_accepts<jobs_of_pool, int>);
static_assert(!simulate_accepts<jobs_of_pool, seconds>, "a pool is not a time");
static_assert(!simulate_accepts<numbers, int>, "a job is more than a number");
static_assert(!std::is_convertible_v<double, pool_policy>);
static_assert(find_pool_policy("First Fit")->policy.backfill == backfilling::first_fit);
static_assert(find_pool_policy("lottery") == nullptr);
static_assert(replication_plan{}.jobs == 100000 && replication_plan{}.warm_up == 10000 &&
                  replication_plan{}.replications == 10 && replication_plan{}.seed == 1,
              "what examples print rests on these");

/// A job by its numbers: when it came, for how long, on how many GPUs.
constexpr trace_job job(double submit, double duration, std::int64_t gpus, int priority = 0) {
  return {seconds{submit}, seconds{duration}, gpus, priority};
}

std::vector<simulated_job> records(const jobs_of_pool& jobs, std::int64_t gpus,
                                   const pool_policy& policy) {
  std::vector<simulated_job> each(jobs.size());
  simulate(jobs, gpus, policy, each);
  return each;
}
numbers starts(const char* policy, const jobs_of_pool& jobs, std::int64_t gpus) {
  numbers found;
  for (const simulated_job& of : records(jobs, gpus, find_pool_policy(policy)->policy))
    found.push_back(of.start.in(second));
  return found;
}
numbers ends(const pool_policy& policy, const jobs_of_pool& jobs, std::int64_t gpus) {
  numbers found;
  for (const simulated_job& of : records(jobs, gpus, policy)) found.push_back(of.end.in(second));
  return found;
}

TEST_CASE("those behind a gang that does not fit, by hand", "[queue][simulator][reference]") {
  // 3 of 4 GPUs are busy to 10, and the second job wants all four; then come a long small job, a
  // short small one, and one on two GPUs.
  const jobs_of_pool jobs{job(0, 10, 3), job(1, 10, 4), job(2, 30, 1), job(3, 5, 1), job(4, 1, 2)};
  CHECK(starts("fcfs", jobs, 4) == numbers{0, 10, 20, 20, 20});
  CHECK(starts("easy", jobs, 4) == numbers{0, 10, 20, 3, 20});
  CHECK(starts("conservative", jobs, 4) == numbers{0, 10, 20, 3, 20});
  CHECK(starts("first-fit", jobs, 4) == numbers{0, 32, 2, 10, 10});
  CHECK(starts("sjf", jobs, 4) == numbers{0, 11, 21, 3, 10});
  // Once the last is the first that waits, the long small job may delay the second one.
  CHECK(starts("sjf-easy", jobs, 4) == numbers{0, 38, 8, 3, 10});
}

TEST_CASE("EASY gives what the first that waits leaves once", "[queue][simulator][reference]") {
  // At 10 the second job will have 6 of 8 GPUs, and leaves 2: the third has them, the fourth not.
  const jobs_of_pool jobs{job(0, 10, 4), job(1, 10, 6), job(2, 30, 2), job(3, 30, 2)};
  CHECK(starts("easy", jobs, 8) == numbers{0, 10, 2, 20});
  // The same where they come together, and where they come while another ends.
  CHECK(starts("easy", {job(0, 10, 4), job(1, 10, 6), job(2, 30, 2), job(2, 30, 2)}, 8) ==
        numbers{0, 10, 2, 20});
  CHECK(starts("easy", {job(0, 10, 4), job(0, 2, 2), job(1, 10, 6), job(2, 30, 2), job(3, 30, 2)},
               8) == numbers{0, 0, 10, 2, 20});
}

TEST_CASE("EASY may delay the second that waits, conservative backfill may not",
          "[queue][simulator][reference]") {
  // At 4 two jobs wait, of which the first starts at 10 beside the last one's GPU.
  const jobs_of_pool jobs{job(0, 10, 3), job(1, 10, 3), job(2, 5, 4), job(4, 30, 1)};
  CHECK(starts("easy", jobs, 4) == numbers{0, 10, 34, 4});
  CHECK(starts("conservative", jobs, 4) == numbers{0, 10, 20, 25});
  // With one reservation at a time those behind wait for theirs.
  const pool_policy one{.backfill = backfilling::conservative, .reservations = 1};
  CHECK(ends(one, jobs, 4) == numbers{10, 20, 25, 55});
  CHECK(ends(one, {job(0, 10, 3), job(1, 10, 3), job(2, 5, 1)}, 4) == numbers{10, 20, 15});
}

TEST_CASE("priorities, by hand", "[queue][simulator][reference]") {
  const jobs_of_pool jobs{job(0, 10, 2, 0), job(1, 10, 2, 1), job(2, 10, 2, 5), job(3, 1, 1, 9)};
  CHECK(starts("priority", jobs, 2) == numbers{0, 21, 11, 10});
  CHECK(starts("priority-preemptive", jobs, 2) == numbers{0, 1, 2, 3});
  CHECK(ends(find_pool_policy("priority-preemptive")->policy, jobs, 2) == numbers{31, 22, 13, 4});
  const auto each = records(jobs, 2, find_pool_policy("priority-preemptive")->policy);
  CHECK(each[0].wait == 21 * second);  // 1 to 22
  CHECK(each[3].wait == 0 * second);
}

TEST_CASE("shortest remaining time, by hand", "[queue][simulator][reference]") {
  const pool_policy srpt{.order = job_order::shortest_remaining_time};
  // At 6 the first has 4 left and the second 5: it is not stopped.
  CHECK(ends(srpt, {job(0, 10, 1), job(6, 5, 1)}, 1) == numbers{10, 15});
  CHECK(ends(srpt, {job(0, 10, 1), job(4, 5, 1)}, 1) == numbers{15, 9});
  CHECK(ends(srpt, {job(0, 10, 1), job(5, 5, 1)}, 1) == numbers{10, 15});  // equals do not change
  // What does not fit is passed over, all or nothing.
  CHECK(ends(srpt, {job(0, 8, 2), job(1, 3, 3), job(1, 20, 1)}, 4) == numbers{11, 4, 21});
}

TEST_CASE("least attained service, by hand", "[queue][simulator][reference]") {
  const std::array levels{seconds{4}};
  const pool_policy two{.order = job_order::least_attained_service, .thresholds = levels};
  // On 1 GPU: 4 s each in the order of arrival, then what is left.
  CHECK(ends(two, {job(0, 10, 1), job(1, 3, 1), job(2, 6, 1)}, 1) == numbers{17, 7, 19});
  // On two GPUs a job has had its 4 GPU s after 2 s.
  CHECK(ends(two, {job(0, 10, 2), job(1, 3, 2)}, 2) == numbers{12, 13});
  // A level of one: every second by turns.
  const pool_policy turns{.order = job_order::least_attained_service, .quantum = 1 * second};
  CHECK(ends(turns, {job(0, 3, 1), job(0, 3, 1)}, 1) == numbers{5, 6});
  // The first has run 4 s at 4, and waits twice that, to 12: it then goes before the last.
  const jobs_of_pool busy{job(0, 6, 1), job(1, 4, 1), job(2, 4, 1), job(3, 4, 1)};
  CHECK(ends(two, busy, 1) == numbers{18, 8, 12, 16});
  pool_policy knob = two;
  knob.starvation_knob = 2;
  CHECK(ends(knob, busy, 1) == numbers{18, 8, 12, 16});
  knob.starvation_knob = 1.5;
  CHECK(ends(knob, busy, 1) == numbers{18, 8, 12, 16});  // behind those that had come before it
  const jobs_of_pool later{job(0, 6, 1), job(1, 4, 1), job(2, 4, 1), job(11, 4, 1)};
  CHECK(ends(two, later, 1) == numbers{18, 8, 12, 16});
  CHECK(ends(knob, later, 1) == numbers{14, 8, 12, 18});
}

TEST_CASE("turns, by hand", "[queue][simulator][reference]") {
  const pool_policy turns{.order = job_order::round_robin, .quantum = 2 * second};
  // From 1 on two on one GPU: the first to 3, then turns of 2 s.
  CHECK(ends(turns, {job(0, 6, 1), job(1, 3, 1)}, 1) == numbers{9, 8});
  // All GPUs or none.  The gang of 4 has its turns from 4 to 6 and from 8 on, that of 3 between.
  CHECK(ends(turns, {job(0, 4, 1), job(2, 3, 4), job(2, 9, 3)}, 4) == numbers{4, 9, 14});
  pool_policy slow = turns;
  slow.switch_time = 1 * second;
  // The first goes on at 5, works from 6 to 7, and from 9 on, when the other is done.
  CHECK(ends(slow, {job(0, 6, 1), job(1, 3, 1)}, 1) == numbers{12, 9});
  const auto each = records({job(0, 6, 1), job(1, 3, 1)}, 1, slow);
  CHECK(each[0].wait == 6 * second);
  // Who is alone has no turns to end.
  CHECK(ends(turns, {job(0, 60, 1)}, 1) == numbers{60});
}

TEST_CASE("short turns are processor sharing", "[queue][simulator]") {
  // The mean response at one GPU is E S / (1 - rho), whatever the law.
  const pool_policy turns{.order = job_order::round_robin, .quantum = 0.02 * second};
  const per_second rate{0.7};
  const replication_plan plan{.jobs = 20000, .warm_up = 1000, .replications = 10};
  for (const int phases : {1, 4}) {
    const erlang_service law{.phases = phases, .mean = 1 * second};
    const auto found = replicate(drawn_jobs{law}, rate, 1, turns, plan).mean_response;
    CHECK(abs(found.mean - 1 * second / 0.3) <= 2 * found.half_width + 0.03 * second);
    CHECK(found.half_width < 0.2 * second);
  }
}

TEST_CASE("of jobs that come at once all but one wait, by every policy", "[queue][simulator]") {
  const jobs_of_pool jobs{job(0, 1, 1), job(0, 2, 1), job(0, 3, 1), job(0, 4, 1)};
  for (const named_policy& of : pool_policies) {
    INFO(of.name);
    CHECK(simulate(jobs, 1, of.policy).longest_queue == 3);
  }
}

TEST_CASE("what a simulation says of all jobs", "[queue][simulator]") {
  const jobs_of_pool jobs{job(10, 10, 2), job(10, 20, 1), job(12, 5, 9), job(13, 5, 1),
                          job(14, 0, 2)};
  const simulated_waiting sum = simulate(jobs, 2);
  CHECK(sum.origin == answer_origin::simulation);
  CHECK(sum.jobs == 4);
  CHECK(sum.waited == 3);
  CHECK(sum.probability() == 0.75);
  CHECK(sum.impossible == 1);
  CHECK_FALSE(sum.complete());
  CHECK(sum.largest_request == 9);
  CHECK(sum.longest_queue == 3);
  CHECK(sum.mean_wait == (0 + 10 + 7 + 26) / 4.0 * second);
  CHECK(sum.mean_response == (10 + 30 + 12 + 26) / 4.0 * second);
  CHECK(sum.median_wait == 7 * second);
  CHECK(sum.wait_90 == 26 * second);
  CHECK(sum.longest_wait == 26 * second);
  CHECK(sum.makespan == 30 * second);
  CHECK(sum.mean_busy_gpus == (20 + 20 + 5) / 30.0);
  CHECK(sum.utilization == (20 + 20 + 5) / 60.0);
  for (const named_policy& of : pool_policies) {
    INFO(of.name);
    const auto each = records(jobs, 2, of.policy);
    CHECK(each[2].start == infinity * second);
    CHECK(each[2].wait == infinity * second);
    const simulated_waiting none = simulate({}, 2, of.policy);
    CHECK(none.jobs == 0);
    CHECK(none.probability() == 0);
    CHECK(simulate(jobs_of_pool{job(0, 1, 3)}, 2, of.policy).impossible == 1);
  }
}

TEST_CASE("an order statistic is one of the values", "[queue][simulator]") {
  std::vector<seconds> values{3 * second, 1 * second, 4 * second, 2 * second};
  CHECK(order_statistic(values, 0) == 1 * second);
  CHECK(order_statistic(values, 0.5) == 2 * second);
  CHECK(order_statistic(values, 0.51) == 3 * second);
  CHECK(order_statistic(values, 1) == 4 * second);
  std::vector<seconds> hundred;
  for (int i = 1; i <= 100; ++i) hundred.push_back(i * second);
  CHECK(order_statistic(hundred, 0.07) == 7 * second);  // 0.07 * 100 is 7.000000000000001
  CHECK_THROWS_AS(order_statistic({}, 0.5), invalid_input);
  CHECK_THROWS_AS(order_statistic(values, 1.01), invalid_input);
}

/// Jobs of whole seconds; at times several come at once.
jobs_of_pool random_jobs(std::size_t count, int spread, int longest, std::int64_t gpus_as_power) {
  jobs_of_pool jobs(count);
  double now = 0;
  for (trace_job& each : jobs) {
    now += *rc::gen::inRange(0, spread);
    each = job(now, *rc::gen::inRange(1, longest),
               std::int64_t{1} << *rc::gen::inRange<std::int64_t>(0, gpus_as_power),
               *rc::gen::inRange(0, 3));
    if (gpus_as_power > 3) each.gpus = *rc::gen::inRange<std::int64_t>(1, 9);
  }
  return jobs;
}

TEST_CASE("the simulator starts jobs when one that ticks does", "[queue][simulator][property]") {
  check_property("as a simulator that looks at every second", [] {
    const jobs_of_pool jobs =
        random_jobs(*rc::gen::inRange<std::size_t>(1, 40), *rc::gen::inRange(1, 8), 20, 4);
    const auto gpus = *rc::gen::inRange<std::int64_t>(7, 20);
    for (const named_policy& of : pool_policies) {
      pool_policy policy = of.policy;
      if (policy.preempts()) continue;
      policy.reservations = *rc::gen::element(1, 2, 5, 10000);
      const auto each = records(jobs, gpus, policy);
      const ticking_pool slow{jobs, gpus, policy};
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        RC_LOG() << of.name << " job " << i << "\n";
        if (jobs[i].gpus > gpus)
          RC_ASSERT(slow.starts()[i] == ticking_pool::never);
        else
          RC_ASSERT(each[i].start.in(second) == slow.starts()[i]);
      }
    }
  });
}

TEST_CASE("promises are the same in small blocks as in one", "[queue][simulator][property]") {
  check_property("free GPUs by blocks of 4 and of 10000", [] {
    const jobs_of_pool jobs = random_jobs(150, *rc::gen::inRange(1, 8), 40, 4);
    detail::free_profile blocks{8, seconds{0}, 4};
    detail::free_profile one{8, seconds{0}, 10000};
    for (const trace_job& of : jobs)
      RC_ASSERT(blocks.take(of.gpus, of.submit, of.duration) ==
                one.take(of.gpus, of.submit, of.duration));
  });
}

TEST_CASE("jobs are stopped when one that ticks stops them", "[queue][simulator][property]") {
  check_property("as a simulator that looks at every quarter of a second", [] {
    const jobs_of_pool jobs =
        random_jobs(*rc::gen::inRange<std::size_t>(1, 20), *rc::gen::inRange(1, 8), 16, 3);
    const auto gpus = *rc::gen::inRange<std::int64_t>(3, 9);
    const std::array levels{seconds{4}, seconds{9}, seconds{30}};
    for (const job_order order : {job_order::arrival, job_order::priority, job_order::shortest_job,
                                  job_order::shortest_remaining_time,
                                  job_order::least_attained_service, job_order::round_robin})
      for (const int kind : {0, 1}) {
        pool_policy policy{.order = order, .preempt = preemption::at_once};
        if (kind == 0) policy.thresholds = levels;
        policy.quantum = *rc::gen::inRange(1, 8) * second;
        policy.starvation_knob = *rc::gen::element(1.0, 2.0, infinity);
        if (order == job_order::round_robin)
          policy.switch_time = *rc::gen::inRange(0, 4) * policy.quantum / 4;
        const auto each = records(jobs, gpus, policy);
        const ticking_preemptive_pool slow{jobs, gpus, policy};
        for (std::size_t i = 0; i < jobs.size(); ++i) {
          if (jobs[i].gpus > gpus) continue;
          RC_LOG() << "order " << static_cast<int>(order) << " kind " << kind << " job " << i
                   << "\n";
          RC_ASSERT(each[i].start.in(second)*4 == slow.of(i).start);
          RC_ASSERT(each[i].end.in(second)*4 == slow.of(i).end);
          RC_ASSERT(each[i].wait.in(second)*4 == slow.of(i).wait);
        }
      }
  });
}

/// GPUs busy at a time, of jobs that run from start to end.
std::int64_t busy_at(seconds time, const jobs_of_pool& jobs,
                     const std::vector<simulated_job>& each) {
  std::int64_t busy = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (each[i].start <= time && time < each[i].end) busy += jobs[i].gpus;
  return busy;
}

TEST_CASE("what holds of every schedule", "[queue][simulator][property]") {
  check_property("GPUs, durations, order and reservations are kept", [] {
    const jobs_of_pool jobs = random_jobs(60, *rc::gen::inRange(1, 8), 30, 4);
    const auto gpus = *rc::gen::inRange<std::int64_t>(8, 24);
    seconds work{};
    for (const trace_job& of : jobs) work += static_cast<double>(of.gpus) * of.duration;
    for (const named_policy& of : pool_policies) {
      std::vector<simulated_job> each(jobs.size());
      const simulated_waiting sum = simulate(jobs, gpus, of.policy, each);
      RC_ASSERT(sum.jobs == 60);
      RC_ASSERT(abs(sum.mean_busy_gpus * sum.makespan - work) <= 1e-9 * work);
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        RC_ASSERT(each[i].start >= jobs[i].submit);
        RC_ASSERT(each[i].end - jobs[i].submit == each[i].wait + jobs[i].duration);
        if (of.policy.preempts()) continue;
        RC_ASSERT(each[i].end == each[i].start + jobs[i].duration);
        RC_ASSERT(busy_at(each[i].start, jobs, each) <= gpus);
        if (of.name == "fcfs" && i > 0) RC_ASSERT(each[i].start >= each[i - 1].start);
      }
    }
  });
  check_property("EASY starts the first that waits when it could if nobody went before it", [] {
    const jobs_of_pool jobs = random_jobs(60, *rc::gen::inRange(1, 8), 30, 4);
    const auto gpus = *rc::gen::inRange<std::int64_t>(8, 24);
    const auto each = records(jobs, gpus, find_pool_policy("easy")->policy);
    seconds first{};  // since when the job has been the first
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      first = larger(first, jobs[i].submit);
      // Those that ran then, and went on to their ends.
      std::vector<simulated_job> before = each;
      for (std::size_t k = i; k < jobs.size(); ++k)
        if (!(each[k].start < first)) before[k].start = infinity * second;
      seconds start = first;
      while (busy_at(start, jobs, before) + jobs[i].gpus > gpus) start += 1 * second;
      RC_ASSERT(each[i].start <= start);
      first = larger(first, each[i].start);
    }
  });
}

TEST_CASE("a simulated M/M/c waits as Erlang C says", "[queue][simulator][reference]") {
  const workload jobs{.arrival_rate = 7.2 / hour, .mean_service = 1 * hour, .servers = 8};
  const auto simulated = replicate(drawn_jobs{exponential_service(1 * hour)}, jobs.arrival_rate, 8,
                                   {}, {.jobs = 20000, .warm_up = 2000});
  const waiting exact = wait(jobs);
  CHECK(simulated.probability.holds(exact.probability));
  CHECK(simulated.mean_wait.holds(exact.mean));
  CHECK(simulated.mean_response.holds(exact.response()));
  CHECK(simulated.probability.half_width < 0.05 * exact.probability);
  // ln(C / (1 - q)) / (c mu - lambda)
  const seconds wait_90 = std::log(exact.probability / 0.1) / 0.8 * hour;
  CHECK(simulated.wait_90.holds(wait_90));
  CHECK(simulated.origin == answer_origin::simulation);
}

TEST_CASE("one server under policies responds as M/G/1 does", "[queue][simulator][reference]") {
  const auto law = exponential_service(1 * second);
  const per_second rate = 0.7 / second;
  const replication_plan plan{.jobs = 20000, .warm_up = 1000};
  const auto response = [&](const pool_policy& policy) {
    return replicate(drawn_jobs{law}, rate, 1, policy, plan).mean_response;
  };
  CHECK(response({.order = job_order::shortest_job}).holds(sjf_response(law, rate)));
  CHECK(response({.order = job_order::shortest_remaining_time}).holds(srpt_response(law, rate)));
  CHECK(response({.order = job_order::shortest_job, .preempt = preemption::at_once})
            .holds(preemptive_sjf_response(law, rate)));
  const std::array levels{seconds{0.5}, seconds{2}};
  const hyperexponential_service spread{0.9, 0.5 * second, 5.5 * second};
  CHECK(replicate(drawn_jobs{spread}, rate, 1,
                  {.order = job_order::least_attained_service, .thresholds = levels}, plan)
            .mean_response.holds(multilevel_response(spread, rate, levels)));
  CHECK(replicate(drawn_jobs{spread}, rate, 1,
                  {.order = job_order::least_attained_service, .quantum = 0.1 * second}, plan)
            .mean_response.holds(least_attained_response(spread, rate)));
}

TEST_CASE("a backlog of gangs, exactly", "[queue][simulator][reference]") {
  // Gangs of 1 or 8 on 8 GPUs, equally likely, equal exponential durations: lambda* is
  // mu / E[1 / N], N how many of a row of them fit: 1 / (1/2 + sum_k=1^7 2^-(k+1)/k + 2^-8/8).
  struct ones_and_eights {
    trace_job operator()(random_numbers& random) const {
      const std::int64_t gpus = random.uniform() < 0.5 ? 1 : 8;
      return {.duration = random.exponential() * second, .gpus = gpus};
    }
  };
  double inverse = 0.5 + std::exp2(-8) / 8;
  for (int k = 1; k <= 7; ++k) inverse += std::exp2(-k - 1) / k;
  const auto run = saturated_run(ones_and_eights{}, 4.5 * second, 8);
  CHECK(run.busy_gpus.holds(4.5 / inverse));
  CHECK(run.busy_gpus.half_width < 0.005 * run.busy_gpus.mean);
  CHECK_THAT(run.completions() * second, WithinRel(1 / inverse, 0.005));
  CHECK(run.dispersion > 1);

  // Jobs of one GPU keep all busy; completions of exponential ones are a Poisson process.
  const auto full = saturated_run(drawn_jobs{exponential_service(2 * second)}, 2 * second, 10);
  CHECK_THAT(full.busy_gpus.mean, WithinRel(10.0, 1e-12));
  CHECK_THAT(full.dispersion, WithinRel(1.0, 0.25));
  CHECK_THAT(full.completions() * second, WithinRel(5.0, 1e-12));
}

TEST_CASE("a backlog draws as many jobs as were asked for", "[queue][simulator]") {
  struct counted {
    int* drawn;
    trace_job operator()(random_numbers&) const {
      ++*drawn;
      return {.duration = 2 * second, .gpus = 1};
    }
  };
  int drawn = 0;
  const auto run =
      saturated_run(counted{&drawn}, 2 * second, 4, {.jobs = 120, .warm_up = 8, .batches = 10});
  CHECK(drawn == 8 + 120);
  CHECK(run.busy_gpus.mean == 4);
  CHECK(run.batch == 6 * second);  // 12 jobs of 2 s on 4 GPUs
}

TEST_CASE("a backlog of a trace leaves out what can never start", "[queue][simulator]") {
  const jobs_of_pool trace{job(0, 2, 3), job(1, 2, 9), job(2, 2, 3)};
  const auto run = saturated_run(trace, 4, {.jobs = 1000, .warm_up = 10, .batches = 10});
  CHECK(run.impossible == 1);
  CHECK(run.busy_gpus.mean == 3);
  CHECK(run.mean_work == 6 * second);
  CHECK(saturated_run(jobs_of_pool{job(0, 1, 5)}, 4).impossible == 1);
  CHECK_THROWS_AS(saturated_run(jobs_of_pool{}, 4), invalid_input);
  CHECK_THROWS_AS(saturated_run(jobs_of_pool{job(0, 0, 1)}, 4), invalid_input);
  CHECK_THROWS_AS(saturated_run(trace, 4, {.batches = 1}), invalid_input);
}

// As their authors' programs print them, for the states 1 2 3 4 and the seed 1234567.
constexpr std::array<std::uint64_t, 4> four_numbers(random_numbers random) {
  return {random.bits(), random.bits(), random.bits(), random.bits()};
}
static_assert(four_numbers(random_numbers{std::array<std::uint64_t, 4>{1, 2, 3, 4}}) ==
              std::array<std::uint64_t, 4>{11520, 0, 1509978240, 1215971899390074240});
static_assert(four_numbers(random_numbers{1234567}) ==
              four_numbers(random_numbers{
                  std::array<std::uint64_t, 4>{6457827717110365317, 3203168211198807973,
                                               9817491932198370423u, 4593380528125082431}}));
static_assert(four_numbers(random_numbers{1, 1}) != four_numbers(random_numbers{1, 0}));

// All of the 53 bits that count are 1: s_1 = 5^-1 ((9^-1 (2^64 - 1)) rotated to the right by 7).
constexpr std::uint64_t ninth = (~std::uint64_t{0}) * 0x8e38e38e38e38e39;  // 9^-1 modulo 2^64
constexpr std::uint64_t of_largest = (ninth >> 7 | ninth << 57) * 0xcccccccccccccccd;
constexpr random_numbers largest{std::array<std::uint64_t, 4>{0, of_largest, 0, 0}};
static_assert(random_numbers{largest}.bits() == ~std::uint64_t{0});
static_assert(random_numbers{largest}.uniform() == 1 - 0x1p-53, "below 1");
static_assert(random_numbers{std::array<std::uint64_t, 4>{}}.uniform() == 0x1p-54, "above 0");

TEST_CASE("random numbers have their moments", "[queue][simulator]") {
  random_numbers random{5};
  const int count = 20000;
  double uniform = 0;
  double normal = 0;
  double squares = 0;
  double thirds = 0;
  for (int i = 0; i < count; ++i) {
    uniform += random.uniform() / count;
    const double z = random.normal();
    normal += z / count;
    squares += z * z / count;
    thirds += static_cast<double>(random.below(3) == 2) / count;
  }
  CHECK(std::abs(uniform - 0.5) < 4 / std::sqrt(12.0 * count));
  CHECK(std::abs(normal) < 4 / std::sqrt(count));
  CHECK(std::abs(squares - 1) < 4 * std::sqrt(2.0 / count));
  CHECK(std::abs(thirds - 1.0 / 3) < 4 * std::sqrt(2.0 / 9 / count));
}

template <class Law>
void check_draws(const Law& law) {
  random_numbers random{3};
  std::vector<seconds> draws(20000);
  for (seconds& each : draws) each = draw(law, random);
  const auto found = confidence_interval<seconds>(draws, 0.9999);
  CHECK(found.holds(mean_service(law)));
  // The share of them above 1.2 means is that of the law.
  const seconds limit = 1.2 * mean_service(law);
  const auto above =
      std::count_if(draws.begin(), draws.end(), [&](seconds x) { return x > limit; });
  const double tail = law.tail(limit);
  CHECK(std::abs(static_cast<double>(above) / 20000 - tail) <=
        4 * std::sqrt(tail * (1 - tail) / 20000));
}

TEST_CASE("draws of a law have its mean and its tail", "[queue][simulator]") {
  check_draws(erlang_service{3, 2 * second});
  check_draws(hyperexponential_service{0.8, 1 * second, 6 * second});
  check_draws(uniform_service{1 * second, 4 * second});
  check_draws(lognormal_service{2 * second, 0.8});
  check_draws(weibull_service{0.7, 3 * second});
  check_draws(bounded_pareto_service{1.5, 1 * second, 100 * second});
  const std::vector<seconds> sizes{1 * second, 1 * second, 5 * second, 7 * second};
  check_draws(empirical_service{sizes});
  random_numbers random{1};
  CHECK(draw(deterministic_service{3 * second}, random) == 3 * second);
}

TEST_CASE("Student's t, and what it says of means", "[queue][simulator][reference]") {
  using boost::math::quantile;
  for (const int n : {1, 2, 3, 4, 9, 30, 199, 5000})
    for (const double p : {0.6, 0.9, 0.975, 0.999}) {
      INFO(n << " " << p);
      CHECK_THAT(student_t_quantile(p, n),
                 WithinRel(quantile(boost::math::students_t(n), p), 1e-11));
    }
  CHECK(student_t_quantile(0.025, 5) == -student_t_quantile(0.975, 5));
  CHECK_THROWS_AS(student_t_quantile(1, 5), invalid_input);
  CHECK_THROWS_AS(student_t_quantile(0.9, 0), invalid_input);

  const std::vector<seconds> series{1 * second, 3 * second, 2 * second,
                                    4 * second, 6 * second, 8 * second};
  const auto batches = batch_means<seconds>(series, 3);  // 2, 3, 7
  CHECK_THAT(batches.mean / second, WithinRel(4.0, 1e-15));
  const double t = 0.95 * std::sqrt(2 / (1 - 0.95 * 0.95));  // of 2 degrees of freedom
  CHECK_THAT(batches.half_width / second, WithinRel(t * std::sqrt(7.0 / 3), 1e-11));
  CHECK(batches.holds(0 * second));
  CHECK_FALSE(batches.holds(11 * second));
  CHECK_THROWS_AS(batch_means<seconds>(series, 1), invalid_input);
  CHECK_THROWS_AS(batch_means<seconds>(series, 7), invalid_input);
  CHECK_THROWS_AS(confidence_interval<seconds>(series, 1), invalid_input);
}

TEST_CASE("a simulation is the same every time, and another of another seed",
          "[queue][simulator]") {
  const jobs_of_pool trace{job(0, 5, 1), job(0, 9, 3), job(0, 1, 2)};
  const auto mean = [&](std::uint64_t seed) {
    return replicate(resampled_jobs{trace}, 0.2 / second, 4, {},
                     {.jobs = 500, .warm_up = 50, .replications = 3, .seed = seed})
        .mean_wait.mean;
  };
  CHECK(mean(1) == mean(1));
  CHECK_FALSE(mean(1) == mean(2));
}

TEST_CASE("the simulator refuses what is none", "[queue][simulator][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const jobs_of_pool fine{job(0, 1, 1), job(1, 1, 1)};
  CHECK_THROWS_AS(simulate(fine, 0), invalid_input);
  CHECK_THROWS_AS(simulate(jobs_of_pool{job(1, 1, 1), job(0, 1, 1)}, 1), invalid_input);
  CHECK_THROWS_AS(simulate(jobs_of_pool{job(0, nan, 1)}, 1), invalid_input);
  CHECK_THROWS_AS(simulate(jobs_of_pool{job(nan, 1, 1)}, 1), invalid_input);
  CHECK_THROWS_AS(simulate(jobs_of_pool{job(0, 1, 0)}, 1), invalid_input);
  std::vector<simulated_job> one(1);
  CHECK_THROWS_AS(simulate(fine, 1, {}, one), invalid_input);
  CHECK_THROWS_AS(summary_of(fine, one, 1), invalid_input);

  using order = job_order;
  CHECK_THROWS_AS(simulate(fine, 1, {.order = order::least_attained_service}), invalid_input);
  CHECK_THROWS_AS(
      simulate(fine, 1, {.order = order::least_attained_service, .quantum = nan * second}),
      invalid_input);
  const std::array falling{seconds{2}, seconds{2}};
  CHECK_THROWS_AS(
      simulate(fine, 1, {.order = order::least_attained_service, .thresholds = falling}),
      invalid_input);
  CHECK_THROWS_AS(simulate(fine, 1, {.starvation_knob = nan}), invalid_input);
  CHECK_THROWS_AS(simulate(fine, 1, {.reservations = 0}), invalid_input);
  CHECK_THROWS_AS(
      simulate(fine, 1, {.order = order::priority, .backfill = backfilling::conservative}),
      invalid_input);
  CHECK_THROWS_AS(
      simulate(fine, 1, {.order = order::shortest_remaining_time, .backfill = backfilling::easy}),
      invalid_input);

  CHECK_THROWS_AS(replicate(resampled_jobs{{}}, 1 / second, 1), invalid_input);
  CHECK_THROWS_AS(replicate(resampled_jobs{fine}, nan / second, 1), invalid_input);
  CHECK_THROWS_AS(replicate(resampled_jobs{fine}, 0 / second, 1), invalid_input);
  CHECK_THROWS_AS(replicate(resampled_jobs{fine}, 1 / second, 1, {}, {.replications = 1}),
                  invalid_input);
  CHECK_THROWS_AS(saturated_run(drawn_jobs{exponential_service(1 * second)}, 1 * second, 0),
                  invalid_input);
}

}  // namespace
}  // namespace gpuplan::testing
