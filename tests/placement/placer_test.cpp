#include <gpuplan/placement/placer.hpp>

#include <array>
#include <cstdlib>
#include <map>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/scanning_placer.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr std::array three{empty_node(8, 96000, 512 * GiB), empty_node(2, 32000, 128 * GiB),
                           empty_node(4, 32000, 256 * GiB)};
constexpr std::array some{task_share{{.gpus = 1, .gpu_thousandths = 500}, 2},
                          task_share{{.gpus = 1}, 5}, task_share{{.gpus = 8}, 1}};

std::size_t first_choice(placement_policy policy, const gpu_task& task) {
  placer pool{three, policy, task_mix{some}};
  return pool.place(task)->node;
}

TEST_CASE("where each policy puts the first task, by hand", "[placement][reference]") {
  const gpu_task one{.gpus = 1, .core_thousandths = 4000};
  CHECK(first_choice(placement_policy::first_fit, one) == 0);
  CHECK(first_choice(placement_policy::best_fit, one) == 1);   // (28/96 + 1/8) / 2 is least
  CHECK(first_choice(placement_policy::worst_fit, one) == 0);  // (92/96 + 7/8) / 2 is most
  CHECK(first_choice(placement_policy::norm, one) == 1);
  CHECK(first_choice(placement_policy::dot_product, one) == 1);
  CHECK(first_choice(placement_policy::tetris_alignment, one) == 0);
  CHECK(first_choice(placement_policy::gpu_packing, one) == 1);  // the smallest empty node
  // On node 0 a task of 8 GPUs would lose its only place: the two others lose none.
  CHECK(first_choice(placement_policy::fragmentation_gradient, one) == 1);
  CHECK(first_choice(placement_policy::framework, one) == 1);
}

TEST_CASE("the framework's weights choose between its aims", "[placement][reference]") {
  const auto chosen = [](const match_weights& weights, const gpu_task& task) {
    return placer{three, placement_policy::framework, task_mix{some}, tie_break::first, 1, weights}
        .place(task)
        ->node;
  };
  // After it 92/96 and 7/8 are free of node 0, 28/96 and 1/8 of node 1, 28/96 and 3/8 of node 2.
  const gpu_task one{.gpus = 1, .core_thousandths = 4000};
  CHECK(chosen({.fit = 1, .fragmentation = 0, .balance = 0}, one) == 1);
  CHECK(chosen({.fit = 0, .fragmentation = 0, .balance = 1}, one) == 0);  // 1/12, 1/6, 1/12
  CHECK(chosen({.fit = 0, .fragmentation = 1, .balance = 0}, one) == 1);
  const gpu_task two{.gpus = 1, .core_thousandths = 1000};  // 31/96 and 3/8: 0.05 apart
  CHECK(chosen({.fit = 0, .fragmentation = 0, .balance = 1}, two) == 2);
}

TEST_CASE("a pool takes what it is told to", "[placement]") {
  placer pool{three, placement_policy::best_fit};
  pool.take({.gpus = 2}, {.node = 2, .gpus = 0b1010});
  CHECK(pool.nodes()[2].free_gpu[1] == 0);
  CHECK(pool.place({.gpus = 4})->node == 0);
  CHECK(pool.place({.gpus = 4})->node == 0);
  CHECK_FALSE(pool.place({.gpus = 4}));  // node 0 has none left, node 2 two
  CHECK_THROWS_AS(pool.take({.gpus = 2}, {.node = 2, .gpus = 0b1010}), invalid_input);
  CHECK_THROWS_AS(pool.take({.gpus = 2}, {.node = 3, .gpus = 0b11}), invalid_input);
}

TEST_CASE("packing prefers GPUs in use, then nodes in use", "[placement][reference]") {
  placer pool{three, placement_policy::gpu_packing};
  const gpu_task half{.gpus = 1, .gpu_thousandths = 500};
  CHECK(pool.place(half)->node == 1);
  const auto second = pool.place(half);
  CHECK(second->node == 1);
  CHECK(second->gpus == 1);               // the half of the GPU that is left
  CHECK(pool.place(half)->gpus == 0b10);  // the other GPU of the node in use
  CHECK(pool.place(gpu_task{.gpus = 4})->node == 2);
}

TEST_CASE("a node without cores does not speak for those beside it", "[placement][facts]") {
  // Nodes with as much free lie side by side: 0 and 1, 2 and 3.  Least is left of a GPU on node 0,
  // which has no cores, then on node 2.
  const auto host = [](int first, int second, std::int64_t cores) {
    gpu_node made = empty_node(2, 32000, 128 * GiB);
    made.free_gpu[0] = first;
    made.free_gpu[1] = second;
    made.free_core_thousandths = cores;
    return made;
  };
  const std::array nodes{host(200, 1000, 0), host(900, 1000, 4000), host(500, 0, 32000),
                         host(950, 0, 32000)};
  placer pool{nodes, placement_policy::gpu_packing};
  CHECK(pool.place({.gpus = 1, .gpu_thousandths = 100, .core_thousandths = 1000})->node == 2);
}

TEST_CASE("what no node can host is placed nowhere, and nothing is taken", "[placement]") {
  for (const placement_policy policy : placement_policies) {
    placer pool{three, policy, task_mix{some}};
    CHECK_FALSE(pool.place({.gpus = 9}));
    CHECK_FALSE(pool.place({.core_thousandths = 96001}));
    CHECK(pool.nodes()[0] == three[0]);
    CHECK(pool.place({.gpus = 8})->node == 0);
    CHECK_FALSE(pool.place({.gpus = 8}));
  }
}

// The policy with no memory of earlier answers: each node scored anew.
std::size_t chosen_anew(const placer& pool, const gpu_task& task) {
  double most = -1e301;
  std::size_t best = pool.nodes().size();
  for (std::size_t n = 0; n < pool.nodes().size(); ++n) {
    const placement_candidate found =
        candidate_of(pool.policy(), pool.nodes()[n], task, {96000, 8000}, pool.mix());
    if (found.feasible() && found.score > most) {
      most = found.score;
      best = n;
    }
  }
  return best;
}

TEST_CASE("placements and releases in any order: kept scores are true scores",
          "[placement][property]") {
  testing::check_property("as scored anew, never beyond capacity, all given back", [] {
    const placement_policy policy = *rc::gen::elementOf(placement_policies);
    placer pool{three, policy, task_mix{some}, tie_break::first, 7};
    struct placed {
      gpu_task task;
      task_placement where;
    };
    std::vector<placed> here;
    for (int step = 0; step < 80; ++step) {
      const gpu_task task{.gpus = *rc::gen::inRange(0, 4),
                          .gpu_thousandths = *rc::gen::element(250, 500, 1000),
                          .core_thousandths = 1000 * *rc::gen::inRange(0, 3)};
      const std::size_t expected = chosen_anew(pool, task);
      const auto where = pool.place(task);
      RC_ASSERT(where.has_value() == (expected < three.size()));
      if (where) {
        if (policy != placement_policy::random) RC_ASSERT(where->node == expected);
        here.push_back({task, *where});
      }
      if (!here.empty() && (!where || *rc::gen::inRange(0, 3) == 0)) {
        const auto leaving =
            static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(here.size())));
        pool.release(here[leaving].task, here[leaving].where);
        here.erase(here.begin() + static_cast<std::ptrdiff_t>(leaving));
      }
      for (const gpu_node& host : pool.nodes()) {
        RC_ASSERT(host.free_core_thousandths >= 0);
        for (int gpu = 0; gpu < host.gpus; ++gpu)
          RC_ASSERT(host.free_gpu[static_cast<std::size_t>(gpu)] >= 0);
      }
    }
    for (const placed& p : here) pool.release(p.task, p.where);
    for (std::size_t n = 0; n < three.size(); ++n) RC_ASSERT(pool.nodes()[n] == three[n]);
  });
}

TEST_CASE("random placement is spread evenly, and repeats with its seed", "[placement]") {
  const std::vector<gpu_node> nodes(10, empty_node(16, 1000000, 1 * TiB));
  std::array<int, 10> count{};
  std::vector<std::size_t> first;
  std::vector<std::size_t> again;
  for (std::vector<std::size_t>* sequence : {&first, &again}) {
    placer pool{nodes, placement_policy::random, {}, tie_break::random, 42};
    for (int task = 0; task < 5000; ++task) {
      const auto where = pool.place({.gpus = 1, .gpu_thousandths = 1});
      sequence->push_back(where->node);
      ++count[where->node];
    }
  }
  CHECK(first == again);
  for (const int tasks : count) CHECK(std::abs(tasks - 1000) < 200);  // six standard deviations
}

TEST_CASE("random placement takes each set of a node's GPUs as often", "[placement]") {
  // Of GPU 1 too little is free: ten sets of two or of three of the five others.
  gpu_node host = with_task(empty_node(6, 0, bytes{0}), {.gpus = 1, .gpu_thousandths = 600}, 0b10);
  host = with_task(host, {.gpus = 2, .gpu_thousandths = 300}, 0b1100);
  for (const int gpus : {2, 3}) {
    std::map<gpu_set, int> count;
    placer pool{std::array{host}, placement_policy::random, {}, tie_break::first, 42};
    const gpu_task task{.gpus = gpus, .gpu_thousandths = 500};
    for (int draw = 0; draw < 10000; ++draw) {
      const auto where = pool.place(task);
      ++count[where->gpus];
      pool.release(task, *where);
    }
    CHECK(count.size() == 10);
    for (const auto& [set, times] : count) {
      CAPTURE(set);
      CHECK((set & 0b10) == 0);
      CHECK(std::abs(times - 1000) < 180);  // six standard deviations
    }
  }
}

TEST_CASE("whole points of the fragmentation gradient, by hand", "[placement][reference]") {
  using detail::gradient_points;
  CHECK(gradient_points(0) == 50);
  CHECK(gradient_points(1000) == 73);   // 100 / (1 + 1/e) = 73.1
  CHECK(gradient_points(-1000) == 26);  // 26.9
  CHECK(gradient_points(40) == 50);     // 50.99987; ln(51/49) = 0.0400053
  CHECK(gradient_points(41) == 51);
  CHECK(gradient_points(-1) == 49);
  CHECK(gradient_points(1e6) == 100);
  CHECK(gradient_points(-1e6) == 0);

  // Tasks of two GPUs come. One GPU of an empty pair strands the other: one GPU more that none can
  // use. The other of a pair that is in use frees the pool of one.
  const task_mix pairs{std::array{task_share{{.gpus = 2}, 1}}};
  const gpu_node empty = empty_node(2, 0, bytes{0});
  const gpu_node used = with_task(empty, {.gpus = 1}, 0b1);
  const auto score = [&](const gpu_node& host) {
    return candidate_of(placement_policy::fragmentation_gradient, host, {.gpus = 1}, {1, 2000},
                        pairs)
        .score;
  };
  CHECK(score(empty) == 26);
  CHECK(score(used) == 73);
}

TEST_CASE("many kinds of task: still the true choice", "[placement]") {
  placer pool{three, placement_policy::best_fit};
  for (int round = 0; round < 2; ++round)
    for (int cores = 0; cores < 600; ++cores) {
      const gpu_task task{.gpus = 0, .core_thousandths = cores};
      const std::size_t expected = chosen_anew(pool, task);
      const auto where = pool.place(task);
      REQUIRE(where);
      REQUIRE(where->node == expected);
      pool.release(task, *where);
    }
}

// Pools and tasks of few sizes, so that there are many ties, or of any.
struct random_pool {
  random_numbers random;
  bool any_size;
  int most_cores = 4;  // of a task

  explicit random_pool(std::uint64_t seed) : random{seed}, any_size{random.below(2) == 0} {}

  int between(int low, int high) {
    return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low + 1)));
  }
  std::int64_t amount(int most) {
    return any_size ? between(0, 1000 * most) : 1000 * between(0, most);
  }
  std::vector<gpu_node> nodes() {
    std::vector<gpu_node> made(between(0, 3) == 0 ? random.below(5) : random.below(100));
    for (gpu_node& each : made) {
      constexpr std::array gpus{0, 1, 2, 4, 8, 8, 8, 16};
      const int count = gpus[random.below(gpus.size())];
      const bool usual = between(0, 2) > 0;
      each = empty_node(count, usual ? 32000 : amount(48),
                        usual ? 64 * GiB : static_cast<double>(amount(90)) * MiB, between(0, 2));
    }
    return made;
  }
  gpu_task task() {
    const bool shared = between(0, 1) == 0;
    gpu_task made{.gpus = shared ? between(0, 2) : between(0, 8),
                  .core_thousandths = amount(most_cores),
                  .memory = static_cast<double>(amount(12)) * MiB};
    const bool any_share = any_size && (made.gpus == 1 || most_cores == 4);
    if (shared) made.gpu_thousandths = any_share ? between(1, 1000) : 125 * between(1, 8);
    if (between(0, 3) == 0) made.accepted_types = random.below(8);
    return made;
  }
};

// Tasks come, and some go again, on both; `kinds` tasks are drawn from, or every one is new.
void check_against_scan(placement_policy policy, tie_break ties, std::uint64_t seed,
                        const match_weights& weights = {}, bool many_kinds = false) {
  random_pool drawn{seed};
  if (many_kinds) drawn.most_cores = 24;  // some kinds no longer fit, node by node; few shares
  const std::vector<gpu_node> nodes = drawn.nodes();
  std::vector<task_share> kinds;
  const bool many = many_kinds || (drawn.any_size && drawn.between(0, 9) == 0);
  for (int kind = many_kinds ? 3000 : many ? 700 : drawn.between(1, 30); kind > 0; --kind)
    kinds.push_back({drawn.task(), 1.0 * drawn.between(1, 9)});
  placer fast{nodes, policy, task_mix{kinds}, ties, seed, weights};
  testing::scanning_placer slow{nodes, policy, task_mix{kinds}, ties, seed, weights};
  struct placed {
    gpu_task task;
    task_placement where;
  };
  std::vector<placed> here;
  const int leaving_in = drawn.between(1, 20);
  for (int step = 0; step < 400; ++step) {
    const gpu_task task =
        drawn.between(0, 4) == 0 ? drawn.task() : kinds[drawn.random.below(kinds.size())].task;
    const auto expected = slow.place(task);
    REQUIRE(fast.can_place(task) == expected.has_value());
    const auto found = fast.place(task);
    REQUIRE(found.has_value() == expected.has_value());
    if (found) {
      REQUIRE(found->node == expected->node);
      REQUIRE(found->gpus == expected->gpus);
      here.push_back({task, *found});
    } else {
      REQUIRE(fast.refusal_of(task) == refusal_of(slow.nodes(), task));
    }
    if (here.empty() || drawn.between(0, leaving_in) > 1) continue;
    const std::size_t leaving = drawn.random.below(here.size());
    fast.release(here[leaving].task, here[leaving].where);
    slow.release(here[leaving].task, here[leaving].where);
    here.erase(here.begin() + static_cast<std::ptrdiff_t>(leaving));
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) REQUIRE(fast.nodes()[n] == slow.nodes()[n]);
}

TEST_CASE("every placement is that of a look at every node", "[placement][property][long]") {
  for (const placement_policy policy : placement_policies)
    for (const tie_break ties : {tie_break::first, tie_break::random})
      for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(name_of(policy), ties == tie_break::random, seed);
        check_against_scan(policy, ties, seed);
      }
}

TEST_CASE("so it is with any weights of the framework", "[placement][property][long]") {
  for (const match_weights& weights :
       {match_weights{1, 0, 0}, match_weights{0, 0, 1}, match_weights{1, 1, 1},
        match_weights{0, 1, 0}, match_weights{2, 0, 1}})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(weights.fit, weights.fragmentation, weights.balance, seed);
      check_against_scan(placement_policy::framework, tie_break::first, seed, weights);
    }
}

TEST_CASE("so it is where bounds of the mix pay: with many kinds", "[placement][property][long]") {
  for (const placement_policy policy :
       {placement_policy::fragmentation_gradient, placement_policy::framework})
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
      CAPTURE(name_of(policy), seed);
      check_against_scan(policy, tie_break::first, seed, {}, true);
    }
}

// A node in use as tasks leave it, from those of the pool.
gpu_node in_use(random_pool& drawn, gpu_node host) {
  for (int gpu = 0; gpu < host.gpus; ++gpu)
    if (drawn.between(0, 2) > 0)
      host.free_gpu[static_cast<std::size_t>(gpu)] =
          drawn.any_size ? drawn.between(0, whole_gpu) : 125 * drawn.between(0, 8);
  host.free_core_thousandths = drawn.between(0, static_cast<int>(host.core_thousandths));
  return host;
}

TEST_CASE("no node has more points of the gradient than the bound of a box around it",
          "[placement][property]") {
  int reached = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    random_pool drawn{seed};
    std::vector<task_share> kinds;
    for (int kind = drawn.between(1, 30); kind > 0; --kind)
      kinds.push_back({drawn.task(), 1.0 * drawn.between(1, 9)});
    const task_mix mix{kinds};
    const detail::gradient_bound bound{mix};
    std::vector<gpu_node> nodes = drawn.nodes();
    detail::node_box around;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      nodes[n] = in_use(drawn, nodes[n]);
      if (n % 8 == 0) around = {};
      around = detail::joined(around, detail::box_of(nodes[n], n, 0, {48000, 16000}));
      for (int draw = 0; draw < 8; ++draw) {
        const gpu_task task =
            draw % 2 == 0 ? drawn.task() : kinds[drawn.random.below(kinds.size())].task;
        for (std::size_t m = n - n % 8; m <= n; ++m) {
          if (!can_host(nodes[m], task)) continue;
          const double points = detail::gradient_candidate(nodes[m], task, mix).score;
          const auto alone = detail::box_of(nodes[m], m, 0, {48000, 16000});
          REQUIRE(points <= bound.most_points(alone, task));
          REQUIRE(points <= bound.most_points(around, task));
          reached += points == bound.most_points(alone, task) ? 1 : 0;
        }
      }
    }
  }
  CHECK(reached > 10000);  // and it is often no more than that
}

TEST_CASE("the bound of the gradient, by hand", "[placement][reference]") {
  // Half of the tasks ask for 500 thousandths of a GPU, half for two GPUs. A node of one GPU hosts
  // the former, so a task of 300 on a GPU of 500 strands 200 of half of them, and 300 less of the
  // others: the fall is 50. Without cores it can host none, and the fall is 300.
  const task_mix mix{
      std::array{task_share{{.gpus = 1, .gpu_thousandths = 500, .core_thousandths = 1000}, 1},
                 task_share{{.gpus = 2}, 1}}};
  const detail::gradient_bound bound{mix};
  const gpu_task task{.gpus = 1, .gpu_thousandths = 300};
  const gpu_node half =
      with_task(empty_node(1, 1000, bytes{0}), {.gpus = 1, .gpu_thousandths = 500}, 0b1);
  gpu_node idle = half;
  idle.free_core_thousandths = 0;
  const auto points = [&](const gpu_node& host) {
    return bound.most_points(detail::box_of(host, 0, 0, {1000, 1000}), task);
  };
  CHECK(points(half) == detail::gradient_points(50));
  CHECK(points(idle) == detail::gradient_points(300));
  CHECK(points(empty_node(2, 1000, bytes{0})) == detail::gradient_points(0));
}

TEST_CASE("a placer refuses what it cannot do", "[placement][errors]") {
  CHECK_THROWS_AS((placer{three, placement_policy::fragmentation_gradient}), invalid_input);
  CHECK_THROWS_AS((placer{three, placement_policy::framework}), invalid_input);
  CHECK_THROWS_AS((placer{three, placement_policy::framework, task_mix{some}, tie_break::first, 1,
                          match_weights{.fit = -1}}),
                  invalid_input);
  CHECK_NOTHROW(placer{three,
                       placement_policy::framework,
                       {},
                       tie_break::first,
                       1,
                       match_weights{.fragmentation = 0}});
  placer pool{three, placement_policy::best_fit};
  CHECK_THROWS_AS(pool.place({.gpus = -1}), invalid_input);
  CHECK_THROWS_AS(pool.release({}, {.node = 3, .gpus = 1}), invalid_input);
  CHECK_THROWS_AS(pool.release({}, {.node = 0, .gpus = 1}), invalid_input);
  placer none{{}, placement_policy::first_fit};
  CHECK_FALSE(none.place({}));
}

}  // namespace
}  // namespace gpuplan
