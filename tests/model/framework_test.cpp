#include <gpuplan/model/framework.hpp>

#include <set>
#include <tuple>

#include "support/catch.hpp"
#include "support/derivative.hpp"

namespace gpuplan {
namespace {

using enum framework;

// Megatron-LM of 2021 reduces gradients when all are there; that of today beside the backward pass.
static_assert(!profile_of(megatron_2021).overlaps_data);
static_assert(profile_of(fsdp).eager && !profile_of(fsdp2).eager, "FSDP2 is measured compiled");
static_assert(profile_of(transformer_engine).overlaps_data);
static_assert(profile_of(transformer_engine).accumulates_in_product);
static_assert(!profile_of(fsdp).accumulates_in_product, "PyTorch's products know no FP32 sum");
static_assert(profile_of(megatron_deepspeed).reduces == gradient_wire::weights, "BLOOM, 3.2.1");
static_assert(profile_of(fsdp).reduces == gradient_wire::fp32);
static_assert(profile_of(megatron_2021).launches_ahead && !profile_of(fsdp2).launches_ahead);
static_assert(profile_of(fsdp2).flash == flash_kernel::flash_2);

template <class Name>
concept names_software = requires(Name name) {
  profile_of(name);
};
static_assert(names_software<framework>);
static_assert(!names_software<int>, "a generation, not a number");
static_assert(!names_software<flash_kernel>);

TEST_CASE("what software adds is never less than nothing", "[model][limits]") {
  for (const framework generation : frameworks) {
    const framework_profile by = profile_of(generation);
    CHECK(by.elementwise > 0);
    CHECK(by.tensor_exposed > 0);
    CHECK(by.tensor_exposed <= 1);
    CHECK(by.data_exposed > 0);
    CHECK(by.data_exposed <= 1);
    CHECK(by.buffers >= bytes{0});
    CHECK(by.dense_host >= seconds{0});
    CHECK(by.expert_host >= seconds{0});
    CHECK(by.step_host >= seconds{0});
  }
}

TEST_CASE("no two generations run alike", "[model][facts]") {
  std::set<std::tuple<double, double, seconds>> fitted;
  for (const framework generation : frameworks) {
    const framework_profile by = profile_of(generation);
    fitted.insert({by.elementwise, by.buffers.in_base_units(), by.dense_host});
  }
  CHECK(fitted.size() == frameworks.size());
}

TEST_CASE("a profile is the same in any scalar", "[model][facts]") {
  for (const framework generation : frameworks) {
    const framework_profile known = profile_of(generation);
    const auto as = profile_as<testing::dual>(generation);
    CHECK(static_cast<double>(as.elementwise) == known.elementwise);
    CHECK(static_cast<double>(as.tensor_exposed) == known.tensor_exposed);
    CHECK(static_cast<double>(as.data_exposed) == known.data_exposed);
    CHECK(static_cast<double>(as.dense_host.in_base_units()) == known.dense_host.in_base_units());
    CHECK(static_cast<double>(as.expert_host.in_base_units()) == known.expert_host.in_base_units());
    CHECK(static_cast<double>(as.step_host.in_base_units()) == known.step_host.in_base_units());
    CHECK(static_cast<double>(as.jitter) == known.jitter);
    CHECK(static_cast<double>(as.buffers.in_base_units()) == known.buffers.in_base_units());
    CHECK(as.overlaps_data == known.overlaps_data);
    CHECK(as.overlaps_tensor == known.overlaps_tensor);
    CHECK(as.accumulates_in_product == known.accumulates_in_product);
    CHECK(as.reduces == known.reduces);
    CHECK(as.launches_ahead == known.launches_ahead);
    CHECK(as.flash == known.flash);
    CHECK(testing::slope(as.data_exposed) == 0);
  }
}

TEST_CASE("software that does not exist has no profile", "[model][errors]") {
  CHECK_THROWS_AS(profile_of(framework{99}), invalid_input);
  CHECK_THROWS_AS(profile_as<testing::dual>(framework{99}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
