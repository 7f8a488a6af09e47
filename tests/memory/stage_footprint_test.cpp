#include <gpuplan/memory/stage_footprint.hpp>

#include <array>
#include <string_view>

#include <gpuplan/memory/stage_terms.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr stage_footprint stage{.states = {.weights = 2 * GB,
                                           .gradients = 4 * GB,
                                           .master_weights = 4 * GB,
                                           .optimizer = 8 * GB},
                                .framework = 1 * GB,
                                .activations = 10 * GB,
                                .head = 1 * GB,
                                .logits = 6 * GB,
                                .head_gradients = 2 * GB,
                                .recomputed = 1 * GB,
                                .layer_gradients = 3 * GB,
                                .cuda_context = 500 * MB,
                                .communicators = 500 * MB,
                                .fragmentation = 1 * GB};
static_assert(stage.resident() == 19 * GB);
static_assert(stage.at(moment::loss) == 36 * GB);
static_assert(stage.at(moment::head_backward) == 32 * GB);
static_assert(stage.at(moment::layer_backward) == 33 * GB);
static_assert(stage.at(moment::optimizer_step) == 19 * GB);
static_assert(stage.peak_moment() == moment::loss);
static_assert(stage.peak() == 36 * GB && stage.allocator_peak() == stage.peak());
static_assert(stage.total() == 38 * GB && stage.device_total() == stage.total());
static_assert(stage.allocated() == stage.peak() && stage.reserved() == 37 * GB);
static_assert(stage.varying() == 17 * GB, "activations, head and logits");

constexpr stage_footprint waiting = [] {
  stage_footprint at = stage;
  at.waiting_head = 600 * MB;
  return at;
}();
static_assert(waiting.freed_head() == 400 * MB, "heads of other micro-batches stay");
static_assert(waiting.at(moment::layer_backward) ==
              stage.at(moment::layer_backward) + waiting.waiting_head);
static_assert(waiting.at(moment::loss) == stage.at(moment::loss), "where they counted already");

constexpr stage_footprint copied = [] {
  stage_footprint at = stage;
  at.gradient_copy = 20 * GB;
  return at;
}();
static_assert(copied.resident() == 39 * GB, "the copy lives until gradients are zeroed");
static_assert(copied.at(moment::loss) == stage.at(moment::loss), "which is before the next step");
static_assert(copied.peak_moment() == moment::optimizer_step);

constexpr stage_footprint freed = [] {
  stage_footprint at = stage;
  at.gradients_freed = at.gradients_to_come = at.states.gradients;
  return at;
}();
static_assert(freed.resident() == 15 * GB);
static_assert(freed.at(moment::loss) == 32 * GB, "the first backward pass has yet to make them");
static_assert(freed.at(moment::optimizer_step) == 19 * GB);

TEST_CASE("each term counts while it lives, and once", "[memory][facts]") {
  struct life {
    std::string_view term;
    std::array<int, 4> at;  // loss, backward pass of the head, of a layer, optimizer step
  };
  constexpr std::array lives{life{"weights", {1, 1, 1, 1}},
                             life{"gradients", {1, 1, 1, 1}},
                             life{"master_weights", {1, 1, 1, 1}},
                             life{"optimizer", {1, 1, 1, 1}},
                             life{"deferred_gradient", {1, 1, 1, 1}},
                             life{"unused_gradients", {1, 1, 1, 1}},
                             life{"reference_model", {1, 1, 1, 1}},
                             life{"buffers", {1, 1, 1, 1}},
                             life{"framework", {1, 1, 1, 1}},
                             life{"batch", {1, 1, 1, 0}},
                             life{"activations", {1, 1, 1, 0}},
                             life{"embedding", {1, 1, 1, 0}},
                             life{"head", {1, 1, 0, 0}},
                             life{"deferred_head", {1, 1, 0, 0}},
                             life{"logits", {1, 0, 0, 0}},
                             life{"head_gradients", {0, 1, 0, 0}},
                             life{"gathered_parameters", {1, 1, 1, 0}},
                             life{"whole_gradients", {1, 1, 1, 0}},
                             life{"recomputed", {0, 0, 1, 0}},
                             life{"layer_gradients", {0, 0, 1, 0}},
                             life{"gradient_copy", {0, 0, 0, 1}},
                             life{"optimizer_temporaries", {0, 0, 0, 1}},
                             life{"cuda_context", {0, 0, 0, 0}},
                             life{"communicators", {0, 0, 0, 0}},
                             life{"fragmentation", {0, 0, 0, 0}}};
  static_assert(lives.size() == stage_terms.size());
  for (std::size_t i = 0; i < lives.size(); ++i) {
    INFO(lives[i].term);
    REQUIRE(stage_terms[i].name == lives[i].term);
    stage_footprint alone;
    stage_terms[i].of(alone) = 1 * GB;
    for (std::size_t k = 0; k < moments.size(); ++k)
      CHECK(alone.at(moments[k]) == lives[i].at[k] * GB);
    CHECK(alone.total() == 1 * GB);
    CHECK(share_of_total(alone, stage_terms[i]) == 1 * GB);
  }
}

TEST_CASE("the peak is the fullest moment, whatever the parts", "[memory][property]") {
  testing::check_property("peak", [] {
    stage_footprint at;
    for (const stage_term& term : stage_terms) term.of(at) = *rc::gen::inRange(0, 100) * GB;
    at.gradients_freed = at.gradients_to_come = *rc::gen::inRange(0, 2) * at.states.gradients;
    bytes most{0};
    for (const moment when : moments) most = larger(most, at.at(when));
    RC_ASSERT(at.peak() == most);
    RC_ASSERT(at.at(at.peak_moment()) == most);
    bytes shares{0};
    for (const stage_term& term : stage_terms) shares += share_of_total(at, term);
    RC_ASSERT(shares == at.total());
  });
}

TEST_CASE("a moment outside its enumeration is refused", "[memory][errors]") {
  CHECK_THROWS_AS(stage.at(static_cast<moment>(99)), invalid_input);
}

}  // namespace
}  // namespace gpuplan
