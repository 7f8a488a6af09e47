#include <gpuplan/calibrate/formats/kernel_names.hpp>

#include <array>
#include <optional>
#include <string_view>

#include "support/catch.hpp"

namespace {

using namespace gpuplan;

struct kernel_row {
  std::string_view name;
  step_term term;
};

// Names as profiles of PyTorch have them, shortened.
constexpr std::array kernels{
    kernel_row{"ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn", step_term::products},
    kernel_row{"nvjet_tst_128x256_64x4_2x1_v_bz_coopA_NNT", step_term::products},
    kernel_row{"void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16>(Params)", step_term::products},
    kernel_row{"void cublasLt::splitKreduce_kernel<32, 16, int, float>(...)", step_term::products},
    kernel_row{"Cijk_Alik_Bljk_BBS_BH_Bias_MT256x256x64", step_term::products},
    kernel_row{"triton_tem_fused_mm_12", step_term::products},
    kernel_row{"void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits>(Params)",
               step_term::attention},
    kernel_row{"cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16", step_term::attention},
    kernel_row{"fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAttention)",
               step_term::attention},
    kernel_row{"void scaled_upper_triang_masked_softmax_warp_forward<c10::Half>",
               step_term::attention},
    kernel_row{"void at::native::vectorized_elementwise_kernel<4, gelu>", step_term::elementwise},
    kernel_row{"void at::native::(anonymous)::vectorized_layer_norm_kernel<float>",
               step_term::elementwise},
    kernel_row{"void at::native::reduce_kernel<512, 1, ReduceOp<float>>", step_term::elementwise},
    kernel_row{"triton_red_fused__to_copy_mean_pow_3", step_term::elementwise},
    kernel_row{"Memcpy DtoD (Device -> Device)", step_term::elementwise},
    kernel_row{"void apply_rotary_embedding<float>", step_term::elementwise},
    kernel_row{"Memset (Device)", step_term::elementwise},
    kernel_row{"void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor>",
               step_term::optimizer},
    kernel_row{"void at::native::(anonymous)::multi_tensor_apply_kernel<FusedAdamMathFunctor>",
               step_term::optimizer},
    kernel_row{"void at::native::nll_loss_forward_reduce_cuda_kernel_2d", step_term::ends},
    kernel_row{"void cunn_LogSoftMaxForward<8, float>", step_term::ends},
    kernel_row{"void at::native::embedding_backward_feature_kernel", step_term::ends}};

TEST_CASE("names of kernels tell what they work on", "[calibrate]") {
  for (const kernel_row& row : kernels) {
    INFO(row.name);
    CHECK(class_of_kernel(row.name).work == device_work::computing);
    CHECK(class_of_kernel(row.name).term == row.term);
  }
  const kernel_class unknown = class_of_kernel("void my_own_thing<float>(float*)");
  CHECK(unknown.work == device_work::computing);
  CHECK_FALSE(unknown.term.has_value());
  CHECK_FALSE(class_of_kernel("").term.has_value());
  for (const char* copy : {"Memcpy HtoD (Pinned -> Device)", "Memcpy DtoH (Device -> Pageable)"}) {
    CHECK(class_of_kernel(copy).work == device_work::copy);
    CHECK(class_of_kernel(copy).term == step_term::offload);
  }
  for (const char* message : {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage)",
                              "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t", "rcclGenericKernel"}) {
    CHECK(class_of_kernel(message).work == device_work::message);
    CHECK_FALSE(class_of_kernel(message).term.has_value());
  }
}

TEST_CASE("the description of a group tells its axis", "[calibrate]") {
  struct row {
    std::string_view group;
    step_term term;
  };
  for (const row& one :
       {row{"TENSOR_MODEL_PARALLEL_GROUP", step_term::tensor}, row{"mesh_tp", step_term::tensor},
        row{"tp:device", step_term::tensor},
        row{"PIPELINE_MODEL_PARALLEL_GROUP", step_term::pipeline},
        row{"mesh_pp", step_term::pipeline}, row{"DATA_PARALLEL_GROUP_WITH_CP", step_term::data},
        row{"EXPERT_DATA_PARALLEL_GROUP", step_term::data}, row{"mesh_dp", step_term::data},
        row{"EXPERT_MODEL_PARALLEL_GROUP", step_term::expert}, row{"mesh_ep", step_term::expert},
        row{"CONTEXT_PARALLEL_GROUP", step_term::context}, row{"mesh_cp", step_term::context},
        row{"TENSOR_AND_CONTEXT_PARALLEL_GROUP", step_term::tensor},
        row{"mesh_dp_shard_cp", step_term::gather}, row{"mesh_fsdp", step_term::gather}}) {
    INFO(one.group);
    CHECK(term_of_message({.kernel = "ncclDevKernel_AllReduce", .group = one.group}, {}) ==
          one.term);
  }
  // Words are whole: neither "pp" of "mapping" nor "ep" of "step".
  CHECK_FALSE(
      term_of_message({.kernel = "ncclDevKernel_AllReduce", .group = "mapping of a step"}, {}));
}

TEST_CASE("the size of a group tells its axis where one alone has it", "[calibrate]") {
  const profiled_layout layout{.cut = {.data = 8, .tensor = 4, .pipeline = 2},
                               .zero = zero_stage::optimizer};
  const auto term = [&](std::string_view collective, std::int64_t ranks,
                        const std::optional<profiled_layout>& cut) {
    return term_of_message({.collective = collective, .group = "default_pg", .ranks = ranks}, cut);
  };
  CHECK(term("allreduce", 4, layout) == step_term::tensor);
  CHECK(term("_allgather_base", 4, layout) == step_term::tensor);
  CHECK(term("_reduce_scatter_base", 8, layout) == step_term::data);
  CHECK(term("allreduce", 2, layout) == step_term::pipeline);
  CHECK_FALSE(term("allreduce", 3, layout));
  CHECK_FALSE(term("allreduce", 0, layout));
  CHECK_FALSE(term("allreduce", 1, layout));
  CHECK_FALSE(term("allreduce", 4, {}));
  const profiled_layout same{.cut = {.data = 4, .tensor = 4}};
  CHECK_FALSE(term("allreduce", 4, same));
  const profiled_layout both{.cut = {.data = 4, .context = 2}};
  CHECK(term("allreduce", 8, both) == step_term::data);
  const profiled_layout hybrid{.cut = {.data = 16, .shard_group = 8},
                               .zero = zero_stage::parameters};
  CHECK(term("_allgather_base", 8, hybrid) == step_term::gather);
  CHECK(term("allreduce", 16, hybrid) == step_term::data);
}

TEST_CASE("weights that ZeRO divides are gathered, and their gradients reduced", "[calibrate]") {
  const profiled_layout layout{.cut = {.data = 8}, .zero = zero_stage::parameters};
  const auto term = [&](std::string_view kernel) {
    return term_of_message({.kernel = kernel, .group = "default_pg", .ranks = 8}, layout);
  };
  CHECK(term("ncclDevKernel_AllGather_RING_LL") == step_term::gather);
  CHECK(term("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL") == step_term::gather);
  CHECK(term("ncclDevKernel_AllReduce_Sum_f32_RING_LL") == step_term::data);
}

TEST_CASE("some collectives belong to one axis", "[calibrate]") {
  const profiled_layout plain{.cut = {.data = 8, .tensor = 8, .pipeline = 8, .expert = 8}};
  const profiled_layout long_sequences{.cut = {.data = 8, .context = 8, .expert = 1}};
  const profiled_layout all{.cut = {.data = 8, .pipeline = 8, .context = 8, .expert = 8}};
  const profiled_message tokens{
      .kernel = "ncclDevKernel_SendRecv", .collective = "all_to_all", .ranks = 8};
  CHECK(term_of_message(tokens, plain) == step_term::expert);
  CHECK(term_of_message(tokens, {}) == step_term::expert);
  CHECK(term_of_message(tokens, long_sequences) == step_term::context);
  CHECK_FALSE(term_of_message(tokens, all));  // every axis has 8 ranks
  const profiled_message hop{.kernel = "ncclDevKernel_SendRecv", .collective = "", .ranks = 2};
  CHECK(term_of_message(hop, plain) == step_term::pipeline);
  CHECK(term_of_message(hop, long_sequences) == step_term::context);
  CHECK_FALSE(term_of_message(hop, all));
}

TEST_CASE("every term is shown in a profile, or is idle time there", "[calibrate]") {
  CHECK(profiled_as(step_term::recompute) == step_term::products);
  CHECK(profiled_as(step_term::ends) == step_term::products);
  CHECK_FALSE(profiled_as(step_term::bubble).has_value());
  for (const step_term term : step_terms)
    if (const auto shown = profiled_as(term)) CHECK(profiled_as(*shown) == shown);
}

}  // namespace
