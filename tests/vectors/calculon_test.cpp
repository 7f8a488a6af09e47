// What Calculon prints (calculon.json): its model of memory, which the benchmark of its space
// holds, to the last digits; and where our model of a block says the same and where not, with the
// cause.  Its times are not compared: they read efficiencies off steps of an operation's size.
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/compute/layer_flop.hpp>
#include <gpuplan/memory/activations.hpp>
#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/parameters.hpp>

#include "speed/calculon_space.hpp"
#include "support/catch.hpp"
#include "support/vectors.hpp"

namespace gpuplan::testing {
namespace {

using namespace units;
using nlohmann::json;

constexpr double last_digits = 1e-12;

struct run {
  std::string id;
  transformer model{};
  int sequence_length = 0;
  calculon::execution how{};
  json memory;            ///< bytes of a GPU of the first stage
  double block_flop = 0;  ///< of a block and a micro-batch, forward

  [[nodiscard]] bytes printed(const char* name) const { return memory.at(name) * byte; }
  [[nodiscard]] bool scattered() const {
    return how.messages == calculon::messages::scatter_gather;
  }
};

/// GPT-3's kind: no biases counted, one normalisation before each half.
transformer model_of(const json& m) {
  return {.layers = m.at("num_blocks"),
          .hidden_size = m.at("hidden"),
          .attention_heads = m.at("attn_heads"),
          .head_dim = m.at("attn_size"),
          .ffn_size = m.at("feedforward"),
          .vocabulary_size = 1,
          .norm = normalization::layer_norm};
}

calculon::execution execution_of(const json& e) {
  using namespace calculon;
  static const std::map<std::string, recompute> recomputed{
      {"full", recompute::full}, {"attn_only", recompute::selective}, {"none", recompute::none}};
  static const std::map<std::string, messages> said{{"ar", messages::all_reduce},
                                                    {"p2p_rs_ag", messages::split_hops},
                                                    {"rs_ag", messages::scatter_gather}};
  static const std::map<std::string, tiling> tiles{
      {"none", tiling::none}, {"ring", tiling::ring}, {"pipe", tiling::pipe}};
  return {.tensor = e.at("tensor_par"),
          .pipeline = e.at("pipeline_par"),
          .data = e.at("data_par"),
          .interleave = e.at("pipeline_interleaving"),
          .batch = e.at("batch_size"),
          .micro_batch = e.at("microbatch_size"),
          .recompute = recomputed.at(e.at("activation_recompute")),
          .messages = said.at(e.at("tensor_par_comm_type")),
          .tiling = tiles.at(e.at("tensor_par_overlap")),
          .gathers_again = e.at("seq_par_ag_redo"),
          .sharded_optimizer = e.at("optimizer_sharding"),
          .fused_activation = e.at("fused_activation")};
}

/// Training in 16 bits with a key and a value for each head: the space that the benchmark searches.
std::vector<run> runs() {
  std::vector<run> found;
  const json vectors = load_vectors("calculon");
  for (const json& one : vectors.at("cases")) {
    if (one.at("status") != "ok") continue;
    const json& e = one.at("execution");
    if (e.at("training") != true || e.at("datatype") != "float16" ||
        e.at("attention_type") != "multihead")
      continue;
    found.push_back({.id = one.at("id"),
                     .model = model_of(one.at("model")),
                     .sequence_length = one.at("model").at("seq_size"),
                     .how = execution_of(e),
                     .memory = one.at("memory_bytes"),
                     .block_flop = one.at("raw_stats").at("block_fw_flops")});
  }
  return found;
}

parallelism cut_of(const run& one) {
  return {.data = one.how.data,
          .tensor = one.how.tensor,
          .pipeline = one.how.pipeline,
          .micro_batch_size = one.how.micro_batch};
}

recipe recipe_of(const run& one) {
  return {.global_batch_size = one.how.batch,
          .sequence_length = one.sequence_length,
          .precision = precision::mixed_fp16,
          .zero = one.how.sharded_optimizer ? zero_stage::optimizer : zero_stage::none,
          .recompute = one.how.recompute,
          .attention = attention_kernel::unfused,
          .sequence_parallel = one.scattered() && one.how.tensor > 1,
          .dropout = true};
}

/// What we say that a block keeps of a micro-batch.
bytes kept_of(const run& one) {
  const recipe how = recipe_of(one);
  const parallelism cut = cut_of(one);
  const micro_batch_tokens seen = tokens_on_rank(how.sequence_length, how, cut);
  return kept_by(one.model, how,
                 decoder_layer(one.model, layer_kind::dense, how, cut, {seen, seen}));
}

/// One 16-bit tensor of a micro-batch, as wide as the model, on one rank.
bytes whole_tensor(const run& one) {
  return 2.0 * one.how.micro_batch * one.sequence_length * one.model.hidden_size * byte;
}

TEST_CASE("the benchmark's account of Calculon's memory is Calculon's", "[vectors][memory]") {
  const std::vector<run> all = runs();
  CHECK((all.size() >= 100 || !testing::are_own_vectors()));
  for (const run& one : all) {
    INFO(one.id);
    const auto check = [&](bytes ours, const char* name) {
      INFO(name);
      CHECK_THAT(ours.in(byte), WithinRel(one.printed(name).in(byte), last_digits));
    };
    const calculon::block_memory block =
        calculon::block_of(one.model, one.sequence_length, one.how);
    check(block.working, "block_activation_working");
    check(block.kept, "block_activation_storage");
    check(2 * block.weights * byte, "block_weights");
    const calculon::memory first = calculon::memory_of(one.model, one.sequence_length, one.how);
    check(first.weights, "weights");
    check(first.gradients, "gradients");
    check(first.optimizer, "optimizer");
    check(first.activations, "activations");
    check(first.checkpoints, "activation_checkpoints");
    check(first.activation_gradients, "activation_gradients");
  }
}

TEST_CASE("Calculon's candidates are counted as it counts them", "[vectors][plan]") {
  const calculon::question asked{.model = catalog::gpt3_175b,
                                 .sequence_length = 2048,
                                 .gpus = 4096,
                                 .most_batch = 1536,
                                 .device_memory = 80 * GiB};
  CHECK(calculon::count(asked, calculon::offloading::none,
                        calculon::larger_micro_batches::while_one_fits) ==
        calculon::tally{605768, 129318});
}

TEST_CASE("Calculon's blocks have our weights and optimizer states", "[vectors][memory]") {
  for (const run& one : runs()) {
    INFO(one.id);
    const int blocks = (one.model.layers + one.how.pipeline - 1) / one.how.pipeline;
    const double weights = layer_on_rank(one.model, layer_kind::dense, cut_of(one)).total();
    const model_states ours =
        model_state_memory(blocks * weights, one.how.data, recipe_of(one).zero,
                           bytes_per_parameter(precision::mixed_fp16, optimizer::adam));
    CHECK_THAT(ours.weights.in(byte), WithinRel(one.printed("weights").in(byte), last_digits));
    CHECK_THAT((ours.master_weights + ours.optimizer).in(byte),
               WithinRel(one.printed("optimizer").in(byte), last_digits));
  }
}

// Ours is Korthikanti et al.'s formula.  Calculon's departs from it: a fused activation keeps no
// input; what is gathered and not gathered again is kept whole, beside its part; and what feeds
// recomputed attention is not kept, even where nothing is gathered.
TEST_CASE("Calculon keeps what we say, but for three things", "[vectors][memory]") {
  int equal = 0;
  for (const run& one : runs()) {
    if (one.how.tiling != calculon::tiling::none) continue;  // keeps tiles of products
    INFO(one.id);
    if (one.how.recompute == recompute::full) {
      const bool split = recipe_of(one).sequence_parallel;  // its input is whole even then
      CHECK_THAT((kept_of(one) * (split ? one.how.tensor : 1)).in(byte),
                 WithinRel(whole_tensor(one).in(byte), last_digits));
      continue;
    }
    bytes expected = kept_of(one);
    const bool selective = one.how.recompute == recompute::selective;
    if (one.how.fused_activation)
      expected -= whole_tensor(one) * one.model.ffn_size / one.model.hidden_size / one.how.tensor;
    if (one.scattered() && !one.how.gathers_again)
      expected += (selective ? 1 : 2) * whole_tensor(one);
    if (!one.scattered() && selective) expected -= whole_tensor(one);
    CHECK_THAT(one.printed("block_activation_storage").in(byte),
               WithinRel(expected.in(byte), last_digits));
    equal += expected == kept_of(one) ? 1 : 0;
  }
  CHECK(equal > 0);
}

// Ours counts products, every score; Calculon adds what a vector unit does for each value: 9 of a
// normalisation, 1 of a dropout or a sum, 5 of a softmax, 8 of an activation, and 1 - 1/t of each
// reduction.
TEST_CASE("Calculon's blocks have our products", "[vectors][compute]") {
  for (const run& one : runs()) {
    INFO(one.id);
    const double t = one.how.tensor;
    const double rows = static_cast<double>(one.how.micro_batch) * one.sequence_length;
    const double whole = rows * one.model.hidden_size;
    const double between = one.scattered() ? whole / t : whole;
    const double scores = rows * one.sequence_length * one.model.attention_heads / t;
    const double reduced = one.how.tiling == calculon::tiling::none ? 2 * whole * (t - 1) / t : 0;
    const double vector = 22 * between + 6 * scores + 8 * rows * one.model.ffn_size / t + reduced;
    const flop_per_token ours =
        forward_flop(one.model, layer_kind::dense, one.sequence_length).total() / t;
    CHECK_THAT(ours.in(FLOP / token) * rows + vector, WithinRel(one.block_flop, last_digits));
  }
}

}  // namespace
}  // namespace gpuplan::testing
