#include <gpuplan/placement/gang.hpp>

#include <array>
#include <set>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

gpu_node with_free(int gpus, gpu_set free) {
  gpu_node host = empty_node(gpus, 64000, 512 * GiB);
  for (int gpu = 0; gpu < gpus; ++gpu)
    if (((free >> gpu) & 1) == 0) host.free_gpu[static_cast<std::size_t>(gpu)] = 0;
  return host;
}

static_assert(gang_room(empty_node(8, 64000, 512 * GiB), {.gpus = 16}) == 8);
static_assert(gang_room(empty_node(8, 64000, 512 * GiB),
                        {.gpus = 16, .core_thousandths_per_gpu = 20000}) == 3,
              "cores for three");
static_assert(gang_room(empty_node(8, 64000, 512 * GiB), {.gpus = 4, .accepted_types = 2}) == 0);

TEST_CASE("a gang goes to the narrowest level that has room, by hand", "[placement][reference]") {
  // Domains of four GPUs in nodes of eight; two racks.
  const std::vector nodes{with_free(8, 0b00110011), with_free(8, 0b00001111), with_free(8, 0xff),
                          with_free(8, 0b00000111)};
  const std::array racks{0, 0, 1, 1};
  const pool_topology topology{.rack_of = racks, .gpus_per_domain = 4};

  const auto four = locate_gang(nodes, {.gpus = 4}, topology);
  REQUIRE(four);
  CHECK(four->span == topology_span::nvlink_domain);  // node 0 has four free, but in two domains
  CHECK(four->parts.front().node == 1);
  CHECK(four->parts.front().gpus == 0b00001111);

  const auto three = locate_gang(nodes, {.gpus = 3}, topology);
  CHECK(three->parts.front().node == 3);  // nothing is left over there

  const auto five = locate_gang(nodes, {.gpus = 5}, topology);
  CHECK(five->span == topology_span::one_node);
  CHECK(five->parts.front().node == 2);

  const auto ten = locate_gang(nodes, {.gpus = 10}, topology);
  CHECK(ten->span == topology_span::rack);
  REQUIRE(ten->parts.size() == 2);
  CHECK(ten->parts[0].node == 2);
  CHECK(ten->parts[0].task.gpus == 8);
  CHECK(ten->parts[1].node == 3);
  CHECK(ten->parts[1].task.gpus == 2);

  const auto fifteen = locate_gang(nodes, {.gpus = 15}, topology);
  CHECK(fifteen->span == topology_span::whole_cluster);
  CHECK(fifteen->parts.size() == 3);
  CHECK(locate_gang(nodes, {.gpus = 1}, topology)->span == topology_span::gpu);

  CHECK_FALSE(locate_gang(nodes, {.gpus = 20}, topology));
  CHECK(locate_gang(nodes, {.gpus = 10, .widest = topology_span::rack}, topology)->parts.size() ==
        2);
  CHECK_FALSE(locate_gang(nodes, {.gpus = 10, .widest = topology_span::one_node}, topology));
  CHECK_FALSE(locate_gang(nodes, {.gpus = 15, .widest = topology_span::rack}, topology));
  CHECK_FALSE(locate_gang(nodes, {.gpus = 5, .widest = topology_span::nvlink_domain}, topology));
}

TEST_CASE("the last part of a gang takes the least room that is enough", "[placement]") {
  const std::vector nodes{with_free(8, 0xff), with_free(8, 0b00000011), with_free(8, 0b00011111),
                          with_free(8, 0b00000111)};
  const auto eleven = locate_gang(nodes, {.gpus = 11});
  REQUIRE(eleven);
  REQUIRE(eleven->parts.size() == 2);
  CHECK(eleven->parts[0].node == 0);
  CHECK(eleven->parts[1].node == 3);
}

TEST_CASE("one GPU goes to a node with the most GPUs that there may be", "[placement][limits]") {
  const std::vector nodes{empty_node(gpu_node::most_gpus, 64000, 512 * GiB)};
  const auto one = locate_gang(nodes, {.gpus = 1});
  REQUIRE(one);
  CHECK(one->span == topology_span::gpu);
}

TEST_CASE("every GPU of a located gang was free, and no wider level was needed",
          "[placement][property]") {
  testing::check_property("random pools", [] {
    std::vector<gpu_node> nodes(*rc::gen::inRange<std::size_t>(1, 10));
    std::vector<int> racks(nodes.size());
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      nodes[n] = with_free(8, static_cast<gpu_set>(*rc::gen::inRange(0, 256)));
      racks[n] = *rc::gen::inRange(0, 3);
    }
    const gang_request gang{.gpus = *rc::gen::inRange(1, 40), .core_thousandths_per_gpu = 4000};
    const auto where = locate_gang(nodes, gang, {.rack_of = racks, .gpus_per_domain = 4});
    int room = 0;
    int most = 0;
    for (const gpu_node& host : nodes) {
      room += gang_room(host, gang);
      most = std::max(most, gang_room(host, gang));
    }
    RC_ASSERT(where.has_value() == (room >= gang.gpus));
    if (!where) return;
    int given = 0;
    std::set<std::size_t> used;
    std::set<int> in_racks;
    for (const gang_part& part : where->parts) {
      RC_ASSERT(used.insert(part.node).second);
      in_racks.insert(racks[part.node]);
      RC_ASSERT(with_task(nodes[part.node], part.task, part.gpus).free_gpu_thousandths() >= 0);
      given += part.task.gpus;
    }
    RC_ASSERT(given == gang.gpus);
    RC_ASSERT((where->span <= topology_span::one_node) == (most >= gang.gpus));
    RC_ASSERT((where->span <= topology_span::one_node) == (used.size() == 1));
    if (where->span == topology_span::rack) RC_ASSERT(in_racks.size() == 1);
  });
}

TEST_CASE("a gang out of range is refused", "[placement][errors]") {
  const std::vector nodes{with_free(8, 0xff)};
  const std::array racks{0, 1};
  CHECK_THROWS_AS(locate_gang(nodes, {.gpus = 0}), invalid_input);
  CHECK_THROWS_AS(locate_gang(nodes, {.core_thousandths_per_gpu = -1}), invalid_input);
  CHECK_THROWS_AS(locate_gang(nodes, {.memory_per_gpu = -1 * GiB}), invalid_input);
  CHECK_THROWS_AS(locate_gang(nodes, {}, {.rack_of = racks}), invalid_input);
  CHECK_THROWS_AS(locate_gang(nodes, {}, {.gpus_per_domain = -1}), invalid_input);
  CHECK_FALSE(locate_gang({}, {}));
}

}  // namespace
}  // namespace gpuplan
