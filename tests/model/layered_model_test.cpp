#include <gpuplan/model/layered_model.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

layer_group attention(int layers) {
  layer_group group;
  group.kind = "attention";
  group.layers = layers;
  group.common = {.attention_weights = 100, .routed_experts = 80};
  group.unvisited = 60;
  group.cached_values = 8;
  return group;
}

layer_group recurrent() {
  layer_group group;
  group.kind = "recurrent";
  group.common = {.norms = 10};
  group.further = {{"state space", 7}};
  return group;
}

layered_model example() {
  layered_model m;
  m.beside = {.token_embedding = 1000, .final_norms = 5, .head = 1000};
  m.further = {{"table of layers", 300, parameter_use::looked_up}, {"projection", 20}};
  for (int i = 0; i < 3; ++i) {
    m.add(attention(1));
    m.add(recurrent());
  }
  return m;
}

TEST_CASE("layers that are alike are counted together", "[model]") {
  const layered_model m = example();
  REQUIRE(m.groups.size() == 2);
  CHECK(m.groups[0].layers == 3);
  CHECK(m.groups[1].layers == 3);
  CHECK(m.layers() == 6);

  layered_model many;
  many.add(attention(4));
  many.add(attention(2));
  REQUIRE(many.groups.size() == 1);
  CHECK(many.layers() == 6);
  layer_group other = attention(1);
  other.cached_values = 9;
  many.add(other);
  CHECK(many.groups.size() == 2);
}

TEST_CASE("a total is the sum of all that is named", "[model]") {
  const layered_model m = example();
  CHECK(m.total() == 2005 + 320 + 3 * 180 + 3 * 17);
  CHECK(m.active() == m.total() - 3 * 60);
  CHECK(m.non_embedding() == m.total() - 2000 - 300);
  CHECK(m.common().total() == 3 * 190);
  CHECK(m.further_of_layers() == std::vector{named_parameters{"state space", 21}});

  layered_model more = m;
  more.multi_token_prediction = 9;
  more.untrained = 9;
  CHECK(more.total() == m.total());
}

TEST_CASE("one name of several kinds of layers is one sum", "[model]") {
  layered_model m;
  layer_group with_gate = attention(2);
  with_gate.further = {{"gate", 5}};
  m.add(with_gate);
  with_gate.kind = "another";
  with_gate.layers = 3;
  m.add(with_gate);
  CHECK(m.further_of_layers() == std::vector{named_parameters{"gate", 25}});
}

}  // namespace
}  // namespace gpuplan
