// Operations as other estimators count them: memory_peers.json holds what each of them printed.
// Where a peer counts otherwise, the difference is computed here, and named.
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/parameters.hpp>

#include "support/catch.hpp"
#include "support/megatron.hpp"
#include "support/vectors.hpp"

namespace gpuplan::testing {
namespace {

using nlohmann::json;
using units::FLOP;
using units::token;

/// The cases of a peer's function that holds `part` in its name.
std::vector<json> cases_of(const std::string& peer, const std::string& part) {
  std::vector<json> cases;
  const json vectors = load_vectors("memory_peers");
  for (const json& one : vectors.at("cases"))
    if (one.at("peer") == peer && one.at("function").get<std::string>().find(part) != part.npos)
      cases.push_back(one);
  return cases;
}

/// Sums of integers in another order: a few units in the last place.
void check_equal(double ours, double theirs) {
  CHECK_THAT(ours, WithinRel(theirs, 1e-14));
}

/// Megatron-LM multiplies by the weights of normalisations that lie between products, one for
/// each value (three norms of a prediction layer, those of the latents), and leaves out the
/// router.
double megatron_extra_weights(const transformer& m) {
  const double layers = m.layers + m.multi_token_prediction_layers;
  const double latents = m.latent.kv_rank > 0 ? m.latent.kv_rank + m.latent.query_rank : 0;
  const double predictions = m.multi_token_prediction_layers;
  const double with_router = m.moe_layers() > 0 ? m.moe_layers() + predictions : 0;
  const double router = static_cast<double>(m.hidden_size) * m.moe.experts;
  return layers * latents + predictions * 3 * m.hidden_size - with_router * router;
}

TEST_CASE("Megatron-LM counts as we do, but for norms and router", "[compute][vectors]") {
  for (const json& one : cases_of("megatron-lm", "num_floating_point_operations")) {
    INFO(one.at("id"));
    const json& input = one.at("input");
    const json& arguments = input.at("args");
    const transformer m = transformer_of_megatron(arguments);
    const double s = arguments.at("seq_length");
    const double batch = input.at("batch_size");
    // Packed sequences: the squares of their lengths are summed.
    const bool packed = input.at("total_real_tokens_in_batch").is_number();
    const double all = packed ? input["total_real_tokens_in_batch"].get<double>() : batch * s;
    const double squares =
        packed ? input.at("seqlen_squared_sum_in_batch").get<double>() : batch * s * s;
    const recipe how{.global_batch_size = 1, .sequence_length = static_cast<int>(squares / all)};
    const flop_per_token ours = training_step_flop(m, how) / (how.sequence_length * token);
    const double extra = 6 * megatron_extra_weights(m);
    check_equal((ours.in(FLOP / token) + extra) * all, one.at("output").at("flops_per_iteration"));
  }
}

TEST_CASE("nanotron counts every score, no router", "[compute][vectors]") {
  for (const json& one : cases_of("nanotron", "get_flops")) {
    INFO(one.at("id"));
    const json& input = one.at("input");
    const bool is_llama = one.at("function") == "models/llama.py:get_flops";
    const int heads = input.at("num_heads");
    // The function of StarCoder2 takes one key-value head where the caller says nothing.
    const transformer m{.layers = input.at("num_layers"),
                        .hidden_size = input.at("hidden_size"),
                        .attention_heads = heads,
                        .kv_heads = input.value("num_key_value_heads", is_llama ? heads : 1),
                        .ffn_size = input.at("ffn_hidden_size"),
                        .vocabulary_size = input.at("vocab_size"),
                        .gated_ffn = is_llama};
    const recipe how{.global_batch_size = input.at("batch_size"),
                     .sequence_length = input.at("seq_len")};
    check_equal(training_step_flop(m, how, masked_scores::counted).in(FLOP),
                one.at("output").at("model_flops"));
  }
}

TEST_CASE("torchtitan counts six a weight, and every score", "[compute][vectors]") {
  for (const json& one : cases_of("torchtitan", "nparams_and_flops")) {
    INFO(one.at("id"));
    const transformer* m = catalog::find_model(one.at("model").get<std::string>());
    if (m == nullptr) continue;
    const transformer_parameters count = parameters_of(*m);
    check_equal(count.total(), one.at("output").at("nparams"));
    const double multiplied =
        active_parameters(*m) - (m->tied_embeddings ? 0 : count.token_embedding);
    check_equal(
        weights_and_scores_flop(*m, multiplied, one.at("input").at("seq_len")).in(FLOP / token),
        one.at("output").at("flops_per_token"));
  }
}

TEST_CASE("Korthikanti et al. (2022), appendix A", "[compute][vectors]") {
  for (const json& one : cases_of("paper:korthikanti2022-flops", "")) {
    INFO(one.at("id"));
    const json& input = one.at("input");
    const int h = input.at("h");
    const transformer m{.layers = input.at("L"),
                        .hidden_size = h,
                        .attention_heads = 1,
                        .ffn_size = 4 * h,
                        .vocabulary_size = input.at("v")};
    recipe how{.global_batch_size = input.at("B"), .sequence_length = input.at("s")};
    const double model = training_step_flop(m, how, masked_scores::counted).in(FLOP);
    const auto hardware = [&](recompute again) {
      how.recompute = again;
      return model + recomputed_step_flop(m, how, masked_scores::counted).in(FLOP);
    };
    const json& output = one.at("output");
    check_equal(model, output.at("model_flops"));
    check_equal(hardware(recompute::full), output.at("full_recompute_flops"));
    check_equal(hardware(recompute::selective), output.at("exact_selective_hardware_flops"));

    // The paper's own ratio, 1 + s/6h, is beyond: it leaves the head out, and charges the core
    // three times, as if its backward pass were done again too.
    const double ratio = output.at("paper_selective_hardware_over_model");
    CHECK_THAT(ratio, WithinRel(1 + double(how.sequence_length) / (6.0 * h), 1e-12));
    CHECK(hardware(recompute::selective) / model < ratio);
  }
}

TEST_CASE("llm-analysis counts one expert a token, and the head again", "[compute][vectors]") {
  for (const json& one : cases_of("llm-analysis", "training")) {
    INFO(one.at("id"));
    const json& shape = one.at("input").at("model_config");
    const json& output = one.at("output");
    transformer m{.layers = shape.at("num_layers"),
                  .hidden_size = shape.at("hidden_dim"),
                  .attention_heads = shape.at("n_head"),
                  .kv_heads = shape.at("num_key_value_heads"),
                  .ffn_size = shape.at("ffn_embed_dim"),
                  .vocabulary_size = shape.at("vocab_size"),
                  .gated_ffn = shape.at("mlp_gated_linear_units")};
    recipe how{.global_batch_size = output.at("batch_size_per_gpu"),
               .sequence_length = output.at("seq_len")};
    const std::string again = output.at("activation_recomputation");
    if (again == "FULL") how.recompute = recompute::full;
    if (again == "ATTN_COMPUTE") how.recompute = recompute::selective;
    const double tokens_of_batch = double(how.global_batch_size) * how.sequence_length;
    const double head = head_forward_flop(m).in(FLOP / token) * tokens_of_batch;

    // Its mixture of experts is one dense network, whatever the experts that a token visits.
    double ours = (training_step_flop(m, how, masked_scores::counted) +
                   recomputed_step_flop(m, how, masked_scores::counted))
                      .in(FLOP);
    if (how.recompute == recompute::full) ours += head;
    check_equal(ours, output.at("num_flops_total_per_micro_batch"));
  }
}

TEST_CASE("the EleutherAI cookbook takes recomputation for the default, and heads forward only",
          "[compute][vectors]") {
  for (const json& one : cases_of("eleuther-cookbook", "calc_flops")) {
    INFO(one.at("id"));
    std::map<std::string, double> arguments;
    const json& line = one.at("input").at("argv");
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool has_value = i + 1 < line.size() && line[i + 1].get<std::string>()[0] != '-';
      arguments[line[i]] = has_value ? std::stod(line[i + 1].get<std::string>()) : 1;
      if (has_value) ++i;
    }
    if (arguments["-kv"] != 1 || arguments.contains("-e")) continue;
    const int h = static_cast<int>(arguments["-hs"]);
    // --ffn-hidden-size is read and never used: the factor of -ff, 4 unless given, stays.
    const int factor = arguments.contains("-ff") ? static_cast<int>(arguments["-ff"]) : 4;
    const transformer m{.layers = static_cast<int>(arguments["-l"]),
                        .hidden_size = h,
                        .attention_heads = 1,
                        .ffn_size = factor * h,
                        .vocabulary_size = static_cast<int>(arguments["-v"]),
                        .gated_ffn = arguments["-nl"] == 3};
    // -ca, the switch for checkpointing, takes the recomputed forward pass away.
    const recipe how{.global_batch_size = 1,
                     .sequence_length = static_cast<int>(arguments["-s"]),
                     .recompute = arguments.contains("-ca") ? recompute::none : recompute::full};
    const double trained = arguments["--tokens"];
    const double passes = how.recompute == recompute::full ? 4 : 3;
    const layer_flop layers = forward_layers_flop_per_token(m, how, masked_scores::counted);
    const json& output = one.at("output");
    const auto all = [&](flop_per_token forward) {
      return passes * trained * forward.in(FLOP / token);
    };
    check_equal(all(layers.attention_core),
                output.at("attention_matrix_flops").get<double>() +
                    output.at("attention_over_values_flops").get<double>());
    check_equal(
        all(layers.attention_projections),
        output.at("qkv_flops").get<double>() + output.at("linear_projection_flops").get<double>());
    check_equal(all(layers.ffn), output.at("ffn_flops"));
    // The head once, where it is three times, and four operations of h for looking up.
    check_equal(trained * (head_forward_flop(m).in(FLOP / token) + 4.0 * h),
                output.at("embedding_flops"));
  }
}

}  // namespace
}  // namespace gpuplan::testing
