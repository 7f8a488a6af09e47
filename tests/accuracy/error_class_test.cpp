#include <gpuplan/accuracy/error_class.hpp>

#include <array>

#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

// Adapters beside a mixture are judged as adapters.
constexpr recipe adapting = [] {
  recipe how;
  how.adapters.rank = 8;
  return how;
}();
static_assert(trained_kind_of(catalog::llama_3_8b, {}) == trained_kind::dense);
static_assert(trained_kind_of(catalog::mixtral_8x7b_v0_1, {}) == trained_kind::mixture);
static_assert(trained_kind_of(catalog::mixtral_8x7b_v0_1, adapting) == trained_kind::adapters);
static_assert(trained_kind_of({.layers = 2, .encoder_layers = 2}, {}) == trained_kind::encoder);
static_assert(trained_kind_of(catalog::llama_3_8b, {.reference = reference_model::frozen}) ==
                  trained_kind::with_reference,
              "whatever is trained, no run with a second model was measured");

static_assert(launch_part_of(0) == launch_part::little);
static_assert(launch_part_of(host_bound_share) == launch_part::little,
              "the share itself is little");
static_assert(launch_part_of(0.11) == launch_part::some);
static_assert(launch_part_of(most_launches) == launch_part::some);
static_assert(launch_part_of(0.26) == launch_part::most);
static_assert(name_of(launch_part::little) == "little" && name_of(launch_part::some) == "some" &&
              name_of(launch_part::most) == "most");

constexpr transformer hybrid = [] {
  transformer m = catalog::mixtral_8x7b_v0_1;
  m.recurrent = {.layers = 16, .attention_layers = 16, .space = {.channels = 8, .state_size = 1}};
  return m;
}();
static_assert(trained_kind_of(hybrid, {}) == trained_kind::recurrent,
              "no run of a hybrid was measured, with experts or without");

constexpr bool unmeasured(auto change) {
  transformer m{.layers = 4,
                .hidden_size = 64,
                .attention_heads = 2,
                .ffn_size = 64,
                .vocabulary_size = 10,
                .sliding_window = 8};
  change(m);
  return trained_kind_of(m, {}) == trained_kind::unmeasured;
}
static_assert(!unmeasured([](transformer&) {}));
static_assert(unmeasured([](transformer& m) { m.sparse.heads = 2; }));
static_assert(unmeasured([](transformer& m) { m.windowed.attention_heads = 4; }));
static_assert(unmeasured([](transformer& m) { m.value_dim = 16; }));
static_assert(unmeasured([](transformer& m) { m.keys_as_values = true; }));
static_assert(unmeasured([](transformer& m) { m.moe.latent_size = 32; }));
static_assert(unmeasured([](transformer& m) { m.activation_values = 2; }));
static_assert(unmeasured([](transformer& m) { m.mask = attention_mask::full; }));

static_assert(has_timed_steps(operator_origin::measured) &&
              has_timed_steps(operator_origin::relative));
static_assert(!has_timed_steps(operator_origin::derived) &&
              !has_timed_steps(operator_origin::given));

static_assert(error_class{} == error_class{});
static_assert(error_class{} != error_class{.many_gpus = true});

TEST_CASE("every value of an error class has its name", "[accuracy]") {
  using enum prediction;
  const std::array predictions{step,          allocated_memory, reserved_memory,
                               device_memory, collective,       wait};
  for (const prediction a : predictions) {
    CHECK(name_of(a) != "unknown");
    for (const prediction b : predictions) CHECK((name_of(a) == name_of(b)) == (a == b));
  }
  for (const trained_kind a : trained_kinds) {
    CHECK(name_of(a) != "unknown");
    for (const trained_kind b : trained_kinds) CHECK((name_of(a) == name_of(b)) == (a == b));
  }
}

}  // namespace
}  // namespace gpuplan
