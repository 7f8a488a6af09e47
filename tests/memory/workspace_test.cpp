#include <gpuplan/memory/workspace.hpp>

#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr workspace deterministic(workspace w) {
  w.cublas = 32 * MiB;  // CUBLAS_WORKSPACE_CONFIG=:4096:8
  return w;
}
static_assert(framework_at_start(deterministic(ampere_workspace)) == 68 * MiB, "seen on A100");
static_assert(framework_at_start(deterministic(hopper_workspace)) == 96 * MiB, "seen on H100");
static_assert(framework_at_start(deterministic(blackwell_workspace)) == 96 * MiB, "and on GB200");
static_assert(framework_at_start({.kernels = {.experts_grouped = true}}) -
                  framework_at_start(hopper_workspace) ==
              4 * 32 * MiB);

constexpr accelerator with(basic_peak<double> peak) {
  return {.peak = peak};
}
static_assert(workspace_of(with({.bf16 = 312 * TFLOP / second})).transformer_engine == 4 * MiB);
static_assert(workspace_of(with({.fp8_e4m3 = 1979 * TFLOP / second})).cublas == 32 * MiB);
static_assert(workspace_of(with({.fp4 = 9 * PFLOP / second})).kernels.flash_output_copied);

// PyTorch alone, eager and compiled: no Transformer Engine; what eager kernels keep beside.
constexpr accelerator blackwell =
    with({.fp8_e4m3 = 4.5 * PFLOP / second, .fp4 = 9 * PFLOP / second});
constexpr workspace eager = workspace_of(blackwell, framework::fsdp);
constexpr workspace compiled = workspace_of(blackwell, framework::fsdp2);
static_assert(eager.transformer_engine == 0 * MiB && compiled.transformer_engine == 0 * MiB);
static_assert(eager.update_temporary == 4 * byte && compiled.update_temporary == 0 * byte);
static_assert(eager.kernels.norms_kept_fp32 && !compiled.kernels.norms_kept_fp32);
static_assert(!eager.kernels.activation_fused && compiled.kernels.activation_fused);
static_assert(!eager.kernels.head_gradient_fused && compiled.kernels.head_gradient_fused);
static_assert(eager.kernels.experts_permuted && compiled.kernels.experts_permuted);
static_assert(eager.kernels.flash_output_copied && !compiled.kernels.flash_output_copied);
static_assert(workspace_of(blackwell, framework::transformer_engine).transformer_engine ==
              blackwell_workspace.transformer_engine);
static_assert(!workspace_of(blackwell).kernels.fp8_transposed);
static_assert(workspace_of(with({.fp8_e4m3 = 1979 * TFLOP / second})).kernels.fp8_transposed);

TEST_CASE("a workspace of less than nothing is refused", "[memory][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(require_valid(workspace{.cublas = -1 * MiB}), invalid_input);
  CHECK_THROWS_AS(require_valid(workspace{.transformer_engine = bytes{nan}}), invalid_input);
  CHECK_THROWS_AS(require_valid(workspace{.cuda_context = -1 * MiB}), invalid_input);
  CHECK_THROWS_AS(require_valid(workspace{.communicator = -1 * MiB}), invalid_input);
  CHECK_THROWS_AS(require_valid(workspace{.fragmentation = nan}), invalid_input);
  CHECK_THROWS_AS(require_valid(workspace{.update_temporary = -1 * byte}), invalid_input);
  CHECK_THROWS_AS(require_valid(workspace{.zero_buckets = -1 * byte}), invalid_input);
  CHECK_THROWS_AS(require_valid(workspace{.kernels = {.head_gradients_deferred = -1}}),
                  invalid_input);
}

}  // namespace
}  // namespace gpuplan
