// Memory as papers and small estimators count it: memory_peers.json holds what each of them gives.
// Where one of them is wrong or counts otherwise, the difference is computed here, and named.
#include <algorithm>
#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/memory/offload.hpp>
#include <gpuplan/model/parameters.hpp>

#include "support/catch.hpp"
#include "support/peers.hpp"

namespace gpuplan::testing {
namespace {

using namespace units;
using nlohmann::json;

/// Sums of integers in another order: a few units in the last place.
void check_equal(bytes ours, double theirs) {
  CHECK_THAT(ours.in(byte), WithinRel(theirs, 1e-12));
}

/// A GPT of equal widths, as papers write it.
transformer plain_gpt(int layers, int hidden, int heads) {
  return {.layers = layers,
          .hidden_size = hidden,
          .attention_heads = heads,
          .ffn_size = 4 * hidden,
          .vocabulary_size = 1};
}

TEST_CASE("Korthikanti et al. (2022), table 2 and equations 1 to 6", "[memory][vectors]") {
  for (const json& one : peer_cases("paper:korthikanti2022", "Table 2")) {
    INFO(one.at("id"));
    const json& input = one.at("input");
    const json& output = one.at("output");
    transformer m = plain_gpt(input.at("L"), input.at("h"), input.at("a"));
    m.vocabulary_size = input.at("v");
    const parallelism cut{.tensor = input.at("t"),
                          .pipeline = input.at("p"),
                          .interleave = input.value("m", 1),
                          .micro_batch_size = input.at("b")};
    recipe how{.global_batch_size = 4 * cut.pipeline * cut.micro_batch_size,
               .sequence_length = input.at("s"),
               .attention = attention_kernel::unfused,
               .sequence_parallel = input.at("sequence_parallel"),
               .dropout = true};
    const std::string again = input.at("recompute");
    how.recompute = again == "none"        ? recompute::none
                    : again == "selective" ? recompute::selective
                                           : recompute::full;
    const footprint job = memory_footprint(m, how, cut);
    check_equal(kept_by(m, how, job.layers.dense.activations), output.at("per_layer_bytes"));
    check_equal(job.stage(0).activations, output.at("first_stage_bytes"));
    CHECK_THAT(in_flight(how, cut, 0, job.micro_batches).total() / cut.pipeline,
               WithinRel(output.at("interleave_factor").get<double>(), 1e-12));

    // The ends are printed for sequence parallelism alone, with the masks of p micro-batches
    // (interleaved, the first chunk holds 2 p - 1) and the logits in FP32 alone, where we count
    // the BF16 logits that they are copied from too.
    how.sequence_parallel = true;
    const footprint spread = memory_footprint(m, how, cut);
    bytes ends = cut.pipeline * embedding_mask(m, how, spread.seen);
    if (cut.pipeline == 1)
      ends += spread.stage(0).head + logits_on_rank(m, cut, spread.seen) * (4 * byte);
    check_equal(ends, output.at("extra_embedding_output_bytes"));
  }
}

TEST_CASE("Rajbhandari et al. (2020), figure 1", "[memory][vectors]") {
  for (const json& one : peer_cases("paper:zero2019")) {
    INFO(one.at("id"));
    const json& input = one.at("input");
    const json& output = one.at("output");
    const parameter_bytes per{.optimizer = (input.at("K").get<double>() - 4) * byte};
    const auto total = [&](zero_stage stage) {
      return model_state_memory(input.at("psi"), input.at("dp"), stage, per).total();
    };
    check_equal(total(zero_stage::none), output.at("baseline_bytes"));
    check_equal(total(zero_stage::optimizer), output.at("os_bytes"));
    check_equal(total(zero_stage::gradients), output.at("os_g_bytes"));
    check_equal(total(zero_stage::parameters), output.at("os_g_p_bytes"));
  }
}

/// DeepSpeed's 16-bit weights, FP32 gradients, master copy and Adam; ZeRO-2 counts 16-bit
/// gradients beside the FP32 ones, ZeRO-3 drops them.
constexpr parameter_bytes deepspeed_two{2 * byte, 6 * byte, 4 * byte, 8 * byte};
constexpr parameter_bytes deepspeed_three{2 * byte, 4 * byte, 4 * byte, 8 * byte};

/// States on the host, FP32 gradients beside those of the optimizer.
bytes host_states(double parameters) {
  return offload_optimizer(parameters, deepspeed_three).host_needed + parameters * (4 * byte);
}

TEST_CASE("DeepSpeed's ZeRO-2 estimator, truncated to bytes", "[memory][vectors]") {
  for (const json& one : peer_cases("deepspeed", "zero2")) {
    INFO(one.at("id"));
    const json& input = one.at("input");
    const json& output = one.at("output");
    const double parameters = input.at("total_params");
    const int each = input.at("num_gpus_per_node");
    const int gpus = each * input.at("num_nodes").get<int>();
    const model_states states =
        model_state_memory(parameters, gpus, zero_stage::gradients, deepspeed_two);
    const bool offloaded = input.at("cpu_offload");
    const double device = (offloaded ? states.weights : states.total()).in(byte);
    CHECK(std::abs(device - output.at("gpu_bytes_per_gpu").get<double>()) < 1);

    // On the host: an FP32 copy for each process at the start, of all GPUs where the documentation
    // says of a node; not less than the states that are moved there, which it does not divide
    // over nodes.
    const double factor = input.at("additional_buffer_factor");
    const bytes copies = parameters * (offloaded ? gpus : each) * (4 * byte);
    const bytes host = offloaded ? (std::max)(copies, host_states(parameters)) : copies;
    CHECK(std::abs((factor * host).in(byte)-output.at("cpu_bytes_per_node").get<double>()) < 1);
  }
}

TEST_CASE("DeepSpeed's ZeRO-3 estimator, truncated to bytes", "[memory][vectors]") {
  for (const json& one : peer_cases("deepspeed", "zero3")) {
    INFO(one.at("id"));
    const json& input = one.at("input");
    const json& output = one.at("output");
    const double parameters = input.at("total_params");
    const double largest = input.at("largest_layer_params");
    const int each = input.at("num_gpus_per_node");
    const int nodes = input.at("num_nodes");
    const bool optimizer_moved = input.at("cpu_offload");
    const bool weights_moved = input.at("cpu_offload_params");
    const model_states states =
        model_state_memory(parameters, each * nodes, zero_stage::parameters, deepspeed_three);

    // Gathered weights and 16-bit gradients of the largest layer.
    const bytes gathered = largest * (4 * byte);
    bytes device = gathered;
    if (!weights_moved) device += optimizer_moved ? states.weights : states.total();
    if (!optimizer_moved) device = gathered + states.total();
    CHECK(std::abs(device.in(byte)-output.at("gpu_bytes_per_gpu").get<double>()) < 1);
    check_equal(gathered, output.at("largest_layer_bytes"));

    const double factor = input.at("additional_buffer_factor");
    const bool built_sharded = input.at("zero_init");
    bytes host = (built_sharded ? largest : parameters) * each * (4 * byte);
    if (optimizer_moved) {
      bytes moved = host_states(parameters);
      if (weights_moved) moved += offload_parameters(parameters, deepspeed_three, {}).host_needed;
      host = moved / nodes;
      if (!built_sharded) host = (std::max)(host, parameters * each * (4 * byte));
    }
    CHECK(std::abs((factor * host).in(byte)-output.at("cpu_bytes_per_node").get<double>()) < 2);
  }
}

TEST_CASE("accelerate takes mixed precision for 16-bit training alone", "[memory][vectors]") {
  for (const json& one : peer_cases("accelerate")) {
    INFO(one.at("id"));
    const json& input = one.at("input");
    const json& output = one.at("output");
    const double parameters = input.at("bytes").get<double>() / 4;
    const std::string mix = input.at("mixed_precision");
    const auto total = [&](precision p) {
      return parameters * bytes_per_parameter(p, optimizer::adam).total();
    };
    const double trained = output.at("reported_training_bytes");
    if (mix == "float32") {
      check_equal(total(precision::fp32), trained);
    } else if (mix == "float16" || mix == "bfloat16") {
      // The largest of its stages instead of their sum: what Adam takes without a master copy.
      check_equal(total(precision::bf16), trained);
      CHECK(total(precision::mixed_fp16).in(byte) == 2 * trained);
    } else {
      CHECK(trained == -1);  // not said for integers
    }
    const bytes loaded = parameters * limits_of(mix == "float32" ? number_format::fp32
                                                : mix == "int8"  ? number_format::int8
                                                : mix == "int4"  ? number_format::fp4
                                                                 : number_format::fp16)
                                          .storage;
    check_equal(loaded, output.at("reported_load_bytes"));
  }
}

TEST_CASE("the ultra-scale playbook takes every model for a GPT-2", "[memory][vectors]") {
  for (const json& one : peer_cases("ultrascale-playbook")) {
    INFO(one.at("id"));
    const json& input = one.at("input");
    const json& output = one.at("output");
    const int hidden = input.at("h");
    transformer m = plain_gpt(input.at("L"), hidden, input.at("a"));
    m.vocabulary_size = input.at("v");
    m.positions = position_encoding::learned;
    m.position_rows = input.at("s");
    m.norm = normalization::layer_norm;
    m.biases = {true, true, true, false};

    // Parameters of GPT-2's form whatever the model is: keys of every head, two matrices, one
    // table.
    const double parameters = parameters_of(m).total();
    CHECK(parameters == output.at("param_count").get<double>());
    const bool mixed = input.at("mixed");
    const bytes state = input.at("k").get<double>() * byte;
    const parameter_bytes per = mixed ? parameter_bytes{.optimizer = state}
                                      : parameter_bytes{4 * byte, 4 * byte, 0 * byte, state};
    const auto stage = static_cast<zero_stage>(input.at("zero").get<int>());
    // Not divided by tensor-parallel ranks.
    const model_states states = model_state_memory(parameters, input.at("dp"), stage, per);
    check_equal(states.weights, output.at("weights_bytes"));
    check_equal(states.gradients, output.at("gradient_bytes"));
    check_equal(states.master_weights + states.optimizer, output.at("optimizer_bytes"));

    // Activations: keys of every head; silu(gate) apart from the product.
    m.ffn_size = input.at("h_ff");
    m.gated_ffn = input.at("ff_activation") == "swiglu";
    const kernel_memory eager{.activation_fused = false};
    const bool spread = input.at("seq_parallel");
    const std::string again = input.at("recomputation");
    const parallelism cut{.tensor = input.at("tp"), .micro_batch_size = input.at("b")};
    const recipe how{.sequence_length = input.at("s"),
                     .precision = mixed ? precision::mixed_bf16 : precision::fp32,
                     .recompute = again == "selective" ? recompute::selective
                                  : again == "full"    ? recompute::full
                                                       : recompute::none,
                     .attention = attention_kernel::unfused,
                     .sequence_parallel = spread,
                     .dropout = true};
    const footprint job = memory_footprint(m, how, cut, {.kernels = eager});
    const layer_activations& layer = job.layers.dense.activations;
    bytes layers{};
    if (how.recompute == recompute::full) {
      recipe whole = how;  // inputs of layers are not divided with sequence parallelism
      whole.sequence_parallel = false;
      layers = memory_footprint(m, whole, cut).stage(0).activations;
      check_equal(layers, output.at("layer_inputs_bytes"));
    } else {
      bytes core = how.recompute == recompute::selective ? bytes{0} : layer.core();
      if (spread) core = cut.tensor * core;  // 5 a s^2 b is not divided with sequence parallelism
      const bytes attention =
          layer.attention.total() - layer.attention.norm_input - layer.attention.core + core;
      bytes ffn = layer.ffn.total() - layer.ffn.norm_input;
      if (input.at("ff_activation") == "relu") ffn -= layer.ffn.hidden / 2;  // known by its output
      const bytes norms = layer.attention.norm_input + layer.ffn.norm_input;
      check_equal(attention, output.at("per_layer_attention_bytes"));
      check_equal(ffn, output.at("per_layer_feedforward_bytes"));
      check_equal(norms, output.at("per_layer_norms_bytes"));
      layers = m.layers * (attention + ffn + norms);
    }
    // Logits: FP32 alone, and not divided by tensor-parallel ranks without sequence parallelism.
    bytes logits = logits_on_rank(m, cut, job.seen) * (4 * byte);
    if (!spread) logits = cut.tensor * logits;
    const stage_footprint at = job.stage(0);
    check_equal(at.embedding, output.at("embedding_dropout_bytes"));
    check_equal(at.head / 2, output.at("final_norm_bytes"));
    check_equal(at.head / 2, output.at("output_projection_input_bytes"));
    check_equal(logits, output.at("cross_entropy_bytes"));
    check_equal(layers + at.embedding + at.head + logits, output.at("activation_bytes"));
  }
}

}  // namespace
}  // namespace gpuplan::testing
