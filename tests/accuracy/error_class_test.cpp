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
  using enum trained_kind;
  const std::array kinds{dense, adapters, mixture, encoder};
  for (const trained_kind a : kinds) {
    CHECK(name_of(a) != "unknown");
    for (const trained_kind b : kinds) CHECK((name_of(a) == name_of(b)) == (a == b));
  }
}

}  // namespace
}  // namespace gpuplan
