#include <gpuplan/memory/stage_terms.hpp>

#include <algorithm>
#include <set>
#include <string>

#include "support/catch.hpp"

namespace {

using namespace gpuplan;
using namespace gpuplan::units;

TEST_CASE("the terms of a stage by name are all that its total counts", "[memory]") {
  // One byte in a single term at a time: it must reach the total of some moment.
  std::set<std::string> names;
  for (const stage_term& term : stage_terms) {
    CAPTURE(std::string(term.name));
    CHECK(names.insert(std::string(term.name)).second);
    stage_footprint alone;
    term.of(alone) = 1 * GB;
    CHECK(term.of(static_cast<const stage_footprint&>(alone)) == 1 * GB);
    CHECK(alone.total() > bytes{0});
  }
  // And nothing else is in it: without them the total is nothing.
  CHECK(stage_footprint{}.total() == bytes{0});
}

TEST_CASE("shares of the terms add up to the total where they are held at once", "[memory]") {
  const transformer model{.layers = 12,
                          .hidden_size = 768,
                          .attention_heads = 12,
                          .ffn_size = 3072,
                          .vocabulary_size = 50304};
  const auto stages = GENERATE(1, 4);
  const auto how = GENERATE(recipe{.global_batch_size = 64, .sequence_length = 1024},
                            recipe{.global_batch_size = 64,
                                   .sequence_length = 1024,
                                   .zero = zero_stage::parameters,
                                   .recompute = recompute::full});
  const footprint memory =
      memory_footprint(model, how, {.data = 8, .pipeline = stages, .micro_batch_size = 2});
  for (int i = 0; i < stages; ++i) {
    const stage_footprint stage = memory.stage(i);
    bytes sum{};
    for (const stage_term& term : stage_terms) {
      const bytes share = share_of_total(stage, term);
      CHECK(share <= term.of(stage) * (1 + 1e-12));
      sum += share;
    }
    CHECK_THAT(sum / stage.total(), WithinRel(1.0, 1e-12));
  }
}

}  // namespace
