#include <gpuplan/memory/footprint.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace gpuplan {
namespace {

using namespace units;
using testing::check_property;
using testing::random_job;
using testing::random_job_any;

constexpr transformer gpt3{.layers = 96,
                           .hidden_size = 12288,
                           .attention_heads = 96,
                           .ffn_size = 49152,
                           .vocabulary_size = 51200};
constexpr recipe how{.global_batch_size = 1536,
                     .sequence_length = 2048,
                     .zero = zero_stage::optimizer,
                     .recompute = recompute::selective,
                     .sequence_parallel = true};
constexpr parallelism cut{.data = 16, .tensor = 8, .pipeline = 8};
constexpr footprint job = memory_footprint(gpt3, how, cut);

static_assert(job.micro_batches == 96);
static_assert(job.worst() == 0, "the first stage holds most micro-batches");
static_assert(job.worst_stage().total() < 80 * GB, "memory is a unit test");
static_assert(job.stage(0).logits == bytes{0} && job.stage(7).logits > bytes{0});
static_assert(job.stage(7).embedding == bytes{0});

template <class... Args>
concept footprint_accepts = requires(Args... args) {
  memory_footprint(args...);
};
static_assert(footprint_accepts<transformer, recipe, parallelism>);
static_assert(!footprint_accepts<transformer, parallelism, recipe>);

constexpr recipe classic{.global_batch_size = 64,
                         .sequence_length = 2048,
                         .precision = precision::mixed_fp16,
                         .attention = attention_kernel::unfused,
                         .sequence_parallel = true,
                         .dropout = true};

TEST_CASE("what lies on the host is not on the GPU, and nothing is lost", "[memory][property]") {
  check_property("offloading moves states, and never adds to a GPU", [] {
    random_job random = random_job_any();
    recipe& moved = random.recipe;
    const auto worst = [&] {
      return memory_footprint(random.model, moved, random.parallelism).worst_stage();
    };
    const stage_footprint kept = worst();
    RC_ASSERT(kept.host == bytes{0});
    const auto lost = [&](const stage_footprint& now) {
      const bytes before = kept.states.total() + kept.gradient_copy;
      return std::abs((now.states.total() + now.gradient_copy + now.host) / before - 1);
    };

    moved.offload = offloaded_states::optimizer;
    const stage_footprint updated = worst();
    RC_ASSERT(updated.total() <= kept.total());
    RC_ASSERT(updated.states.optimizer + updated.states.master_weights == bytes{0});
    if (updated.stage == kept.stage) RC_ASSERT(lost(updated) < 1e-12);

    moved.offload = offloaded_states::all;
    const stage_footprint all = worst();
    RC_ASSERT(all.states.total() == bytes{0});
    if (all.stage == kept.stage) RC_ASSERT(lost(all) < 1e-12);

    moved.offload = offloaded_states::none;
    moved.offloaded_activations = *rc::gen::element(0.25, 0.5, 1.0);
    const stage_footprint waiting = worst();
    RC_ASSERT(waiting.total() <= kept.total());
    if (waiting.stage == kept.stage) {
      const bytes both = waiting.activations + waiting.host;
      RC_ASSERT(std::abs((both - kept.activations).in_base_units()) <= 1e-9 * both.in_base_units());
    }
  });
}

TEST_CASE("weights on the host leave two layers on the GPU", "[memory][facts]") {
  recipe fetched = how;
  fetched.zero = zero_stage::parameters;
  fetched.offload = offloaded_states::all;
  const stage_footprint at = memory_footprint(gpt3, fetched, cut).stage(3);
  CHECK_THAT(at.gathered_parameters.in(GB), WithinRel(2 * 12 * 12288.0 * 12288 / 8 * 2e-9, 1e-3));
  CHECK(at.states.total() == bytes{0});
}

TEST_CASE("the first stage holds L layers of one micro-batch", "[memory][reference]") {
  // V. Korthikanti et al. (2023), equation 5: s b h L / t (34 + 5 a s / h), whatever p is; and
  // section 4.2.3: times 1 + (p - 1)/(p m) interleaved.
  struct row {
    int layers, hidden, heads, tensor, pipeline, interleave, micro_batch;
  };
  const auto r = GENERATE(row{48, 6144, 64, 8, 1, 1, 4}, row{96, 12288, 96, 8, 8, 1, 1},
                          row{96, 12288, 96, 8, 8, 3, 1}, row{105, 20480, 128, 8, 35, 3, 1},
                          row{128, 25600, 160, 8, 64, 1, 1});
  const transformer m{.layers = r.layers,
                      .hidden_size = r.hidden,
                      .attention_heads = r.heads,
                      .ffn_size = 4 * r.hidden,
                      .vocabulary_size = 51200,
                      .biases = {true, true, true, false}};
  recipe with = classic;
  with.global_batch_size = 4096 * r.micro_batch;
  const footprint at = memory_footprint(m, with,
                                        {.tensor = r.tensor,
                                         .pipeline = r.pipeline,
                                         .interleave = r.interleave,
                                         .micro_batch_size = r.micro_batch});
  const double h = r.hidden;
  const double interleaved =
      r.interleave > 1 ? 1 + (r.pipeline - 1.0) / (r.pipeline * r.interleave) : 1;
  const double expected = 2048.0 * r.micro_batch * h * r.layers / r.tensor *
                          (34 + 5 * r.heads * 2048 / h) * interleaved;
  CHECK(at.stage(0).activations.in(byte) == Approx(expected).epsilon(1e-12));
}

TEST_CASE("each chunk of a rank keeps its own layers as often as it is in flight",
          "[memory][reference]") {
  // Nine layers in four pieces of 3, 2, 2 and 2.  Of rank 0 of two, two chunks each, five passes
  // have begun when its first backward pass begins: three of the first chunk, two of the second
  // (Narayanan et al. 2021, figure 4).  That frees one of the second, and the next forward pass is
  // the fourth of the first chunk, which has more layers.
  const transformer m{.layers = 9,
                      .hidden_size = 4096,
                      .attention_heads = 32,
                      .ffn_size = 4 * 4096,
                      .vocabulary_size = 51200,
                      .biases = {true, true, true, false}};
  const footprint at = memory_footprint(m, classic, {.pipeline = 2, .interleave = 2});
  const double layer = 2048.0 * 4096 * (34 + 5 * 32 * 2048 / 4096.0);
  CHECK(at.stage(0).activations.in(byte) == Approx((4 * 3 + 1 * 2) * layer).epsilon(1e-12));
}

TEST_CASE("a V-shaped schedule fills its chunks as its micro-batches come", "[memory][facts]") {
  recipe folded = how;
  folded.schedule = pipeline_schedule::zero_bubble_v;
  folded.global_batch_size = 16 * cut.pipeline;  // p micro-batches
  const footprint at = memory_footprint(gpt3, folded, cut);
  const bytes piece = 6 * at.layers.dense.kept;  // of 96 layers in 16 pieces
  CHECK(at.stage(0).activations == (8 + 1) * piece);
  CHECK(at.stage(7).activations == (8 + 8) * piece);
  CHECK(at.worst() == 7);
}

TEST_CASE("most wait for weight gradients where little else is kept", "[memory][facts]") {
  recipe full = how;
  full.schedule = pipeline_schedule::zero_bubble_h1;
  full.recompute = recompute::full;
  full.global_batch_size = 16 * cut.pipeline;
  const footprint at = memory_footprint(gpt3, full, cut);
  const layer_memory& layer = at.layers.dense;
  CHECK(at.stage(7).activations == 12 * (layer.kept + 7 * layer.until_weight_gradient));
  CHECK(at.stage(0).activations == 12 * 8 * layer.kept);
}

TEST_CASE("all stages together hold every parameter", "[memory][property]") {
  check_property("weights of all ranks >= one copy", [] {
    const random_job at = random_job_any();
    const footprint memory = memory_footprint(at.model, at.recipe, at.parallelism);
    const bytes weight = bytes_per_parameter(at.recipe).weight;
    bytes all{0};
    for (int i = 0; i < memory.stages(); ++i) all += memory.stage(i).states.weights;
    const parallelism& c = at.parallelism;
    const double ranks = double(c.data) * c.tensor * c.context;
    RC_ASSERT(ranks * all >= parameters_of(at.model).trained() * weight * (1 - 1e-9));
  });
}

TEST_CASE("more of the job never takes less memory", "[memory][property]") {
  const auto total = [](const random_job& at) {
    return memory_footprint(at.model, at.recipe, at.parallelism).worst_stage().total();
  };
  check_property("layers, sequence, vocabulary, width of the network", [&] {
    const random_job at = random_job_any();
    random_job more = at;
    // A chunked loss cuts the tokens as the vocabulary grows: whole chunks more are never less.
    const bool chunked = at.recipe.loss == loss_kernel::chunked;
    const int words = chunked ? at.model.embedding_width() : 128;
    switch (*rc::gen::inRange(0, 4)) {
      case 0: more.model.layers += at.parallelism.pipeline * at.parallelism.interleave; break;
      case 1: more.recipe.sequence_length *= 2; break;
      case 2: more.model.vocabulary_size += words; break;
      default: more.model.ffn_size += 64; break;
    }
    RC_ASSERT(total(more) >= total(at) * (1 - 1e-12));
  });
  check_property("micro-batches of a larger size, as many of them", [&] {
    const random_job at = random_job_any();
    const footprint memory = memory_footprint(at.model, at.recipe, at.parallelism);
    const int size = at.parallelism.micro_batch_size;
    RC_ASSERT(resized(memory, size + 1).worst_stage().total() >= memory.worst_stage().total());
    RC_ASSERT(resized(memory, size).worst_stage().total() == memory.worst_stage().total());
  });
}

TEST_CASE("more sharding never takes more memory on a rank", "[memory][property]") {
  check_property("ZeRO stages and data ranks", [] {
    const random_job at = random_job_any();
    const auto total = [](const random_job& one) {  // communicators of a new group left out
      return memory_footprint(one.model, one.recipe, one.parallelism, {.communicator = 0 * byte})
          .worst_stage()
          .total();
    };
    random_job wider = at;
    wider.parallelism.data *= 2;
    wider.recipe.global_batch_size *= 2;
    RC_ASSERT(total(wider) <= total(at) * (1 + 1e-12));
    random_job higher = at;
    if (at.recipe.zero == zero_stage::parameters) return;
    higher.recipe.zero = static_cast<zero_stage>(static_cast<int>(at.recipe.zero) + 1);
    // PyTorch alone divides gradients on streams of their own, whose pools replace a share of the
    // peak: what it hands out is never more, what it reserves is more by those pools at most.
    const bool streams =
        at.recipe.framework == framework::fsdp || at.recipe.framework == framework::fsdp2;
    if (!streams) {
      RC_ASSERT(total(higher) <= total(at) * (1 + 1e-12));
      return;
    }
    const auto fullest = [](const random_job& one) {
      return memory_footprint(one.model, one.recipe, one.parallelism, {.communicator = 0 * byte})
          .worst_stage();
    };
    const stage_footprint more = fullest(higher);
    RC_ASSERT(more.peak() <= total(at) * (1 + 1e-12));
    RC_ASSERT(more.total() <= total(at) * (1 + 1e-12) + more.states.gradients);
  });
}

TEST_CASE("more tensor or context ranks never take more memory on a rank", "[memory][property]") {
  // From two tensor ranks on: the first cut adds the buffer that sequence parallelism gathers into.
  check_property("tensor and context ranks", [] {
    random_job at = random_job_any();
    at.parallelism.tensor *= 2;
    random_job wider = at;
    (*rc::gen::arbitrary<bool>() ? wider.parallelism.tensor : wider.parallelism.context) *= 2;
    const auto total = [](const random_job& one) {
      return memory_footprint(one.model, one.recipe, one.parallelism, {.communicator = 0 * byte})
          .worst_stage()
          .total();
    };
    RC_ASSERT(total(wider) <= total(at) * (1 + 1e-12));
  });
}

TEST_CASE("the worst stage is the worst of all stages", "[memory][property]") {
  check_property("worst() against every stage", [] {
    const random_job at = random_job_any();
    const footprint memory = memory_footprint(at.model, at.recipe, at.parallelism);
    bytes most{0};
    for (int i = 0; i < memory.stages(); ++i) most = (std::max)(most, memory.stage(i).total());
    RC_ASSERT(memory.worst_stage().total() == most);
  });
}

TEST_CASE("the worst stage of any number of layers, stages and micro-batches",
          "[memory][property]") {
  check_property("worst() against every stage, where nothing divides evenly", [] {
    transformer m = *rc::gen::element(gpt3, transformer{catalog::mixtral_8x7b_v0_1});
    m.layers = *rc::gen::inRange(8, 34);
    recipe any = how;
    any.schedule =
        *rc::gen::element(pipeline_schedule::one_forward_one_backward,
                          pipeline_schedule::zero_bubble_h1, pipeline_schedule::zero_bubble_h2,
                          pipeline_schedule::zero_bubble_v, pipeline_schedule::dualpipe);
    any.recompute = *rc::gen::element(recompute::none, recompute::full);
    any.global_batch_size = *rc::gen::inRange(1, 24);
    const parallelism divided{.pipeline = 2 * *rc::gen::inRange(1, 5)};
    const footprint memory = memory_footprint(m, any, divided);
    bytes most{0};
    for (int i = 0; i < memory.stages(); ++i) most = (std::max)(most, memory.stage(i).total());
    RC_ASSERT(memory.worst_stage().total() == most);
  });
}

TEST_CASE("the peak is a moment's, and the device shows more", "[memory][property]") {
  check_property("terms of a stage", [] {
    const random_job at = random_job_any();
    const footprint memory = memory_footprint(at.model, at.recipe, at.parallelism);
    const stage_footprint stage = memory.stage(*rc::gen::inRange(0, memory.stages()));
    for (const moment when : moments) RC_ASSERT(stage.at(when) <= stage.peak());
    RC_ASSERT(stage.peak() >= stage.resident());
    RC_ASSERT(stage.total() > stage.peak());
    RC_ASSERT(stage.states.total() > bytes{0} && std::isfinite(stage.total().in(byte)));
  });
}

TEST_CASE("uneven stages hold what their split says", "[memory][facts]") {
  recipe uneven = how;
  uneven.split = layer_split{std::array{9, 13, 13, 13, 13, 13, 13, 9}};
  const footprint at = memory_footprint(gpt3, uneven, cut);
  CHECK(at.stage(0).states.total() < at.stage(1).states.total());
  CHECK(at.worst() == 1);
}

TEST_CASE("DualPipe holds the layers of two stages", "[memory][facts]") {
  recipe two_ways = how;
  two_ways.schedule = pipeline_schedule::dualpipe;
  const footprint at = memory_footprint(gpt3, two_ways, cut);
  CHECK(at.stage(3).states.weights == at.stage(4).states.weights);
  CHECK(at.stage(3).states.weights == 2 * job.stage(3).states.weights);
  CHECK(at.stage(0).logits > bytes{0});
  CHECK(at.stage(3).activations / job.stage(0).activations == Approx(9.0 / 8));
}

TEST_CASE("a V-shaped schedule has embedding and head on one rank", "[memory][facts]") {
  recipe bent = how;
  bent.schedule = pipeline_schedule::zero_bubble_v;
  const footprint at = memory_footprint(gpt3, bent, cut);
  CHECK(at.stage(0).logits > bytes{0});
  CHECK(at.stage(7).logits == bytes{0});
  CHECK(at.stage(7).activations == at.stage(0).activations);
}

TEST_CASE("full recomputation keeps inputs, and one block while it is computed again",
          "[memory][facts]") {
  recipe full = how;
  full.recompute = recompute::full;
  const bytes input = 2.0 * 2048 * 12288 / 8 * byte;
  const footprint each = memory_footprint(gpt3, full, cut);
  CHECK(each.stage(0).activations == 8 * 12 * input);
  const layer_activations& one = each.layers.dense.activations;
  CHECK(each.stage(0).recomputed == one.total() - one.attention.norm_input);
  full.recompute_every = 5;
  const footprint fifth = memory_footprint(gpt3, full, cut);
  CHECK(fifth.stage(0).activations.in(byte) == Approx((8 * 3 * input).in(byte)));
  CHECK(fifth.stage(0).recomputed == 5 * one.total() - one.attention.norm_input);
}

TEST_CASE("a block of full recomputation has the layers that come next", "[memory][facts]") {
  transformer mixed = gpt3;
  mixed.layers = 8;
  mixed.moe = {.experts = 8,
               .experts_per_token = 2,
               .ffn_size = 49152,
               .first_dense_layers = 2,
               .dense_layers = 2};
  recipe full = how;
  full.recompute = recompute::full;
  full.recompute_every = 3;
  const footprint at = memory_footprint(mixed, full, {.tensor = 8});
  const layer_memory& dense = at.layers.dense;
  const layer_memory& moe = at.layers.moe;
  const bytes input = dense.activations.attention.norm_input;
  CHECK(at.stage(0).activations == 3 * input);  // two dense layers and one, then three and two
  CHECK(at.stage(0).recomputed == 3 * moe.computed_again - input);
  full.recompute_every = 4;
  CHECK(memory_footprint(mixed, full, {.tensor = 8}).stage(0).recomputed ==
        4 * moe.computed_again - input);
  full.recompute_every = 8;
  CHECK(memory_footprint(mixed, full, {.tensor = 8}).stage(0).recomputed ==
        2 * dense.computed_again + 6 * moe.computed_again - input);
}

TEST_CASE("FSDP gathers a unit and the next, and never more than the rank lacks",
          "[memory][facts]") {
  recipe sharded = how;
  sharded.zero = zero_stage::parameters;
  sharded.weights = weight_storage::fp32;
  const stage_footprint at = memory_footprint(gpt3, sharded, {.data = 1024}).stage(0);
  const double layer = parameters_of_layer(gpt3, layer_kind::dense).total();
  CHECK(at.gathered_parameters == 2 * 2 * layer * byte);
  CHECK(at.whole_gradients == 4 * layer * byte);
  CHECK(memory_footprint(gpt3, sharded, {}).stage(0).gathered_parameters == bytes{0});
}

TEST_CASE("weights of 4 or 8 bits are gathered as they are kept", "[memory][facts]") {
  recipe tuned = how;
  tuned.zero = zero_stage::parameters;
  tuned.adapters = {.rank = 16, .base = base_weights::int4};
  const rank_parameters layer = layer_on_rank(gpt3, layer_kind::dense, {});
  const bytes table = 51200.0 * 12288 * bytes{2};  // larger than a layer of 4 bits
  const bytes one = layer.matrices * bytes_per_4_bit_weight({}) + layer.vectors * bytes{2};
  CHECK(memory_footprint(gpt3, tuned, {.data = 1024}).stage(0).gathered_parameters == table + one);

  recipe narrow = how;
  narrow.zero = zero_stage::parameters;
  narrow.precision = precision::mixed_fp8;
  narrow.fp8_recipe = fp8_recipe::tensorwise;
  workspace blackwell;
  blackwell.kernels.fp8_transposed = false;
  CHECK(memory_footprint(gpt3, narrow, {.data = 1024}, blackwell).stage(0).gathered_parameters ==
        2 * (layer.matrices * bytes{1} + layer.vectors * bytes{2}));
}

TEST_CASE("adapters of one layer have whole gradients where they are divided", "[memory][facts]") {
  recipe tuned = how;
  tuned.adapters.rank = 16;
  recipe divided = tuned;
  divided.zero = zero_stage::gradients;
  transformer experts = gpt3;
  experts.moe = {.experts = 8, .experts_per_token = 2, .ffn_size = 1024};
  for (const transformer& m : {gpt3, experts}) {
    const bytes all = memory_footprint(m, tuned, {}).stage(0).states.gradients;
    const stage_footprint at = memory_footprint(m, divided, {.data = 8}).stage(0);
    CHECK(at.states.gradients == all / 8);
    CHECK(at.whole_gradients == all / m.layers);
    CHECK(memory_footprint(m, divided, {}).stage(0).whole_gradients == bytes{0});  // of one rank
  }
}

TEST_CASE("tied tables beside adapters are trained where one is named", "[memory][facts]") {
  recipe tuned = how;
  tuned.adapters = {.rank = 16};
  const parallelism two{.pipeline = 2};
  const bytes adapters = memory_footprint(gpt3, tuned, two).stage(1).states.gradients;
  tuned.adapters.trained_tables.bits = static_cast<unsigned>(trained_table::embedding);
  const bytes table = gpt3.vocabulary_size * 12288.0 * bytes_per_parameter(tuned).gradient;
  transformer tied = gpt3;
  tied.tied_embeddings = true;
  CHECK(memory_footprint(tied, tuned, two).stage(1).states.gradients == adapters + table);
  tied.tied_embeddings = false;
  CHECK(memory_footprint(tied, tuned, two).stage(1).states.gradients == adapters);
}

TEST_CASE("a table that PyTorch trains beside adapters is a unit of its own", "[memory][facts]") {
  recipe tuned = how;
  tuned.framework = framework::fsdp2;
  tuned.zero = zero_stage::gradients;
  tuned.adapters = {.rank = 16, .trained_tables = {all_tables}};
  transformer untied = gpt3;
  untied.tied_embeddings = false;
  const stage_footprint at = memory_footprint(untied, tuned, {.data = 8}).stage(0);
  CHECK(at.whole_gradients == gpt3.vocabulary_size * 12288.0 * bytes{2});  // one copy, in 16 bits
}

TEST_CASE("weights kept in FP32 are cast for the step where nothing is gathered",
          "[memory][facts]") {
  recipe autocast = how;
  autocast.weights = weight_storage::fp32;
  const stage_footprint at = memory_footprint(gpt3, autocast, cut).stage(0);
  CHECK(at.gathered_parameters == at.states.weights / 2);
  CHECK(at.states.master_weights == bytes{0});
}

TEST_CASE("gradients of PyTorch come and go", "[memory][facts]") {
  recipe lazy = how;
  lazy.gradients_live = gradient_lifetime::backward;
  lazy.global_batch_size = 16;
  const stage_footprint at = memory_footprint(gpt3, lazy, cut).stage(0);
  const double layer = layer_on_rank(gpt3, layer_kind::dense, cut).total();
  CHECK(at.gradients_to_come ==
        at.states.gradients - layer * bytes_per_parameter(lazy).gradient);  // one layer's are made
  lazy.global_batch_size = 16 * cut.pipeline;  // all in flight when the first backward pass begins
  CHECK(memory_footprint(gpt3, lazy, cut).stage(0).gradients_to_come == at.gradients_to_come);
  lazy.global_batch_size = 16 * (cut.pipeline + 1);
  CHECK(memory_footprint(gpt3, lazy, cut).stage(0).gradients_to_come == bytes{0});
}

TEST_CASE("GPipe keeps what the head made of every micro-batch", "[memory][facts]") {
  recipe all = how;
  all.schedule = pipeline_schedule::gpipe;
  const footprint filled = memory_footprint(gpt3, all, cut);
  const int last = cut.pipeline - 1;
  const double waiting = filled.micro_batches - 1;
  CHECK(filled.stage(last).head ==
        job.stage(last).head + waiting * (job.stage(last).head + filled.ends.kept_logits));
  CHECK(filled.ends.kept_logits == logits_on_rank(gpt3, cut, filled.seen) * bytes{4});
  CHECK(filled.stage(last).freed_head() == filled.ends.head);  // one in a backward pass of layers

  all.loss = loss_kernel::eager;  // whose caller holds the 16-bit logits too
  CHECK(memory_footprint(gpt3, all, cut).ends.kept_logits ==
        logits_on_rank(gpt3, cut, filled.seen) * bytes{6});
}

TEST_CASE("DualPipe's head waits for a backward pass of the other way", "[memory][facts]") {
  recipe both = how;
  both.schedule = pipeline_schedule::dualpipe;
  const footprint folded = memory_footprint(gpt3, both, cut);
  CHECK(folded.stage(0).waiting_head == folded.ends.head + folded.ends.kept_logits);
  CHECK(folded.stage(0).head == folded.ends.head);
  CHECK(folded.stage(1).waiting_head == bytes{0});
}

TEST_CASE("buckets of ZeRO lie on every rank that divides", "[memory][facts]") {
  const workspace deepspeed{.zero_buckets = 9 * GB};
  recipe divided = how;
  divided.zero = zero_stage::optimizer;
  CHECK(memory_footprint(gpt3, divided, cut, deepspeed).stage(0).buffers -
            memory_footprint(gpt3, divided, cut).stage(0).buffers ==
        9 * GB);
  divided.zero = zero_stage::none;
  CHECK(memory_footprint(gpt3, divided, cut, deepspeed).stage(0).buffers ==
        memory_footprint(gpt3, divided, cut).stage(0).buffers);
}

TEST_CASE("software of other pipelines keeps more", "[memory][facts]") {
  workspace deepspeed;
  deepspeed.kernels.outputs_kept = true;
  const stage_footprint plain = job.stage(0);
  const stage_footprint kept = memory_footprint(gpt3, how, cut, deepspeed).stage(0);
  CHECK(kept.activations - plain.activations == 8 * 2.0 * 2048 * 12288 / 8 * byte);
  deepspeed.kernels.working_gradients = true;
  CHECK(memory_footprint(gpt3, how, cut, deepspeed).stage(0).states.gradients ==
        1.5 * plain.states.gradients);
}

TEST_CASE("FSDP reserves the pools of its streams, not a share of the peak", "[memory][facts]") {
  const transformer llama = catalog::llama_3_8b;
  recipe lazy{.global_batch_size = 8,
              .sequence_length = 4096,
              .weights = weight_storage::fp32,
              .zero = zero_stage::parameters,
              .loss = loss_kernel::compiled,
              .gradients_live = gradient_lifetime::backward,
              .framework = framework::fsdp2};
  const parallelism eight{.data = 8};
  const stage_footprint one = memory_footprint(llama, lazy, eight).stage(0);
  REQUIRE(one.peak_moment() == moment::loss);
  CHECK(one.fragmentation == one.gradients_to_come);
  CHECK(one.fragmentation == one.states.gradients);

  // Between two micro-batches all gradients are there, and nothing is to come.
  lazy.global_batch_size = 16;
  CHECK(memory_footprint(llama, lazy, eight).stage(0).fragmentation == bytes{0});
  lazy.framework = framework::transformer_engine;
  const stage_footprint other = memory_footprint(llama, lazy, eight).stage(0);
  CHECK(other.fragmentation == 0.04 * other.peak());
}

TEST_CASE("DeepSpeed sends gradients to the host, Megatron-LM keeps them", "[memory][reference]") {
  // 2 B a parameter on the GPU (DeepSpeed, estimate_zero2_model_states_mem_needs).
  const transformer m = catalog::llama_3_8b;
  recipe offloads{.global_batch_size = 4,
                  .zero = zero_stage::gradients,
                  .framework = framework::megatron_deepspeed,
                  .offload = offloaded_states::optimizer};
  const stage_footprint sent = memory_footprint(m, offloads, {}).worst_stage();
  CHECK_THAT(sent.states.total() / byte, WithinRel(2.0 * parameters_of(m).total(), 1e-6));
  offloads.framework = framework::transformer_engine;
  const stage_footprint kept = memory_footprint(m, offloads, {}).worst_stage();
  CHECK(kept.states.gradients > bytes{0});
  CHECK(kept.states.weights == sent.states.weights);
  CHECK(sent.host > kept.host);
  offloads.framework = framework::megatron_deepspeed;
  offloads.zero = zero_stage::optimizer;
  CHECK(memory_footprint(m, offloads, {}).worst_stage().states.gradients > bytes{0});
}

TEST_CASE("FSDP without resharding keeps its part in FP32 and all in 16 bits", "[memory][facts]") {
  // torch.distributed.fsdp.fully_shard, reshard_after_forward = False.
  const double all = 8030261248;
  const stage_footprint kept = memory_footprint(catalog::llama_3_8b,
                                                {.global_batch_size = 64,
                                                 .sequence_length = 1024,
                                                 .weights = weight_storage::fp32,
                                                 .zero = zero_stage::gradients,
                                                 .framework = framework::fsdp2},
                                                {.data = 64})
                                   .stage(0);
  CHECK(kept.states.weights == all / 64 * bytes{4});
  CHECK(kept.gathered_parameters == all * bytes{2});
}

TEST_CASE("FSDP2 holds a table beside two layers", "[memory][facts]") {
  const transformer llama = catalog::llama_3_8b;
  recipe sharded{.global_batch_size = 64,
                 .sequence_length = 1024,
                 .zero = zero_stage::parameters,
                 .framework = framework::fsdp2};
  const parallelism many{.data = 64};
  const double layer = 4096.0 * (6144 + 4096 + 3 * 14336 + 2);
  const double table = 128256.0 * 4096;
  CHECK(memory_footprint(llama, sharded, many).stage(0).gathered_parameters ==
        (table + 2 * layer) * bytes{2});
  sharded.framework = framework::transformer_engine;
  CHECK(memory_footprint(llama, sharded, many).stage(0).gathered_parameters ==
        (table + layer) * bytes{2});
}

TEST_CASE("FP8 weights are a byte where products need no second copy", "[memory][facts]") {
  const transformer llama = catalog::llama_3_8b;
  const recipe in_fp8{
      .global_batch_size = 1, .sequence_length = 1024, .precision = precision::mixed_fp8};
  const double matrices = 32.0 * 4096 * (6144 + 4096 + 3 * 14336);
  const double beside = 2 * 128256.0 * 4096 + 65 * 4096;
  const auto weights = [&](const recipe& with, const workspace& of) {
    return memory_footprint(llama, with, {}, of).stage(0).states.weights;
  };
  CHECK(weights(in_fp8, blackwell_workspace) == (matrices + 2 * beside) * byte);
  CHECK(weights(in_fp8, hopper_workspace) == 2 * (matrices + beside) * byte);
  recipe pytorch = in_fp8;
  pytorch.framework = framework::fsdp2;
  CHECK(weights(pytorch, blackwell_workspace) == 2 * (matrices + beside) * byte);
}

// Layouts that their authors trained with, which must fit.
TEST_CASE("published layouts fit into what their GPUs have", "[memory][reference]") {
  const bytes hopper = 79 * GiB;

  // DeepSeek-AI (2024), sections 3.2.1 to 3.3.3: 2048 H800; pipeline 16, experts over 64, ZeRO 1,
  // DualPipe; norms, up-projections and SwiGLU computed again; BF16 moments, FP8 activations.
  const recipe of_deepseek{
      .global_batch_size = 15360,
      .sequence_length = 4096,
      .precision = precision::mixed_fp8,
      .moments = moment_format::bf16,
      .stored = activation_storage::fp8,
      .zero = zero_stage::optimizer,
      .schedule = pipeline_schedule::dualpipe,
      .recompute_modules = {static_cast<unsigned>(recomputed_module::layernorm) |
                            static_cast<unsigned>(recomputed_module::mla_up_proj) |
                            static_cast<unsigned>(recomputed_module::moe_act)},
      .fp8_recipe = fp8_recipe::blockwise};
  CHECK(memory_footprint(catalog::deepseek_v3, of_deepseek,
                         {.data = 128, .pipeline = 16, .expert = 64}, hopper_workspace)
            .worst_stage()
            .total() < hopper);

  // Dubey et al. (2024), section 3.3.2: 16 384 H100; tensor 8, pipeline 16, no recomputation;
  // optimizer and gradients sharded.
  const recipe of_llama{.global_batch_size = 2048,
                        .sequence_length = 8192,
                        .zero = zero_stage::gradients,
                        .sequence_parallel = true,
                        .gradients_live = gradient_lifetime::backward};
  CHECK(memory_footprint(catalog::llama_3_1_405b, of_llama,
                         {.data = 128, .tensor = 8, .pipeline = 16}, hopper_workspace)
            .worst_stage()
            .total() < hopper);

  // Dettmers et al. (2023): 65B with adapters of rank 64 everywhere and a paged optimizer, on one
  // GPU of 48 GB.
  const recipe of_qlora{.global_batch_size = 16,
                        .sequence_length = 512,
                        .recompute = recompute::full,
                        .loss = loss_kernel::eager,
                        .gradients_live = gradient_lifetime::backward,
                        .framework = framework::fsdp,
                        .adapters = {.rank = 64,
                                     .place = adapter_place::attention_and_ffn,
                                     .base = base_weights::int4},
                        .offload = offloaded_states::optimizer};
  CHECK(
      memory_footprint(catalog::llama_65b, of_qlora, {}, workspace{.transformer_engine = bytes{0}})
          .worst_stage()
          .total() < 47.5 * GiB);
}

TEST_CASE("an encoder is spread over the stages, and cross-attention with the decoder",
          "[memory][facts]") {
  transformer t5 = gpt3;
  t5.encoder_layers = 96;
  const footprint at = memory_footprint(t5, how, cut);
  CHECK(at.stage(3).states.weights > 2 * job.stage(3).states.weights);
  CHECK(at.stage(3).activations > 2 * job.stage(3).activations);
}

TEST_CASE("memory_footprint refuses what its documentation refuses", "[memory][errors]") {
  CHECK_THROWS_AS(memory_footprint({}, how, cut), invalid_input);
  CHECK_THROWS_AS(memory_footprint(gpt3, {.sequence_length = 0}, cut), invalid_input);
  CHECK_THROWS_AS(memory_footprint(gpt3, how, {.tensor = 0}), invalid_input);
  CHECK_THROWS_AS(memory_footprint(gpt3, how, cut, {.fragmentation = -1}), invalid_input);
  CHECK_THROWS_AS(job.stage(8), invalid_input);
  CHECK_THROWS_AS(job.stage(-1), invalid_input);
  CHECK_THROWS_AS(resized(job, 0), invalid_input);
}

TEST_CASE("chunks of as many layers in another order have blocks of their own", "[memory]") {
  transformer mixed = gpt3;
  mixed.layers = 12;  // in chunks of three: DDM, DMD, DMD, MDM
  mixed.moe = {.experts = 8, .experts_per_token = 2, .ffn_size = 49152, .dense_layers = 7};
  recipe full = how;
  full.recompute = recompute::full;
  full.recompute_every = 2;
  const footprint held =
      memory_footprint(mixed, full, {.tensor = 8, .pipeline = 2, .interleave = 2});
  const pipeline_layers layers{held.model, held.recipe, held.parallelism};
  std::vector<bytes> works;
  detail::for_each_chunk(
      held, layers, 0, [&](int, const stage_layers& here, const detail::chunk_memory& memory) {
        CHECK(here.moe == 1);
        CHECK(memory.work.total() == detail::memory_of_chunk(held, here).work.total());
        works.push_back(memory.work.total());
      });
  REQUIRE(works.size() == 2);
  CHECK(works[1] > works[0]);
}

// Moments are compared by the same terms as they are summed up: up to 32 chunks in the same order, so
// that not a bit differs.
TEST_CASE("a moment of an interleaved rank holds what its chunks add up to", "[memory]") {
  const int pipeline = GENERATE(2, 3, 8);
  const int interleave = GENERATE(2, 5, 12, 40);
  const int micro_batches = GENERATE(8, 13, 24);
  const bool full = GENERATE(false, true);
  recipe uneven = how;
  uneven.global_batch_size = micro_batches;
  uneven.recompute = full ? recompute::full : recompute::none;
  uneven.recompute_every = full ? 2 : 1;
  const parallelism chunks{.tensor = 8, .pipeline = pipeline, .interleave = interleave};
  const footprint held = memory_footprint(catalog::deepseek_v2_lite, uneven, chunks);
  const pipeline_layers layers{held.model, held.recipe, held.parallelism};
  const std::int64_t all = std::int64_t{micro_batches} * interleave;
  for (int stage = 0; stage < pipeline; ++stage) {
    detail::rank_moments moments{held, layers, stage};
    const std::int64_t begun = detail::passes_begun(uneven, chunks, stage, micro_batches);
    const auto rounds = [&](std::int64_t passes) {
      return detail::rounds_of(uneven, chunks, (std::min)(passes, all), micro_batches);
    };
    for (std::int64_t done = 0; done < all; ++done) {
      const detail::round_moment at{rounds(begun + done), rounds(done), interleave - 1};
      const bytes expected = detail::held_in_layers(held, moments.sum(at));
      const bytes difference = moments.held(at) - expected;
      const double allowed = interleave > 32 ? 1e-12 : 0;
      REQUIRE(std::abs(difference / expected) <= allowed);
    }
  }
}

/// A footprint that counts how often the memory of a chunk is computed, each time from
/// recipe.recompute.
struct counted_footprint : footprint {
  struct counted_choice {
    enum recompute value {};
    std::int64_t* looks = nullptr;
    operator enum recompute() const { ++*looks; return value; }
  };
  struct counted_recipe : gpuplan::recipe {
    counted_choice recompute{};
  };
  counted_recipe recipe{};
};

/// How often chunks are looked at to find the fullest moment of a rank whose chunks are all unlike
/// the one before.
std::int64_t looks_at_chunks(int interleave) {
  transformer mixed = gpt3;
  mixed.layers = 4 * 3 * interleave;
  mixed.moe = {.experts = 8,
               .experts_per_token = 2,
               .ffn_size = 49152,
               .dense_layers = mixed.layers * 5 / 11};
  recipe in_turn = how;
  in_turn.global_batch_size = 24;
  const footprint held =
      memory_footprint(mixed, in_turn, {.tensor = 8, .pipeline = 4, .interleave = interleave});
  std::int64_t looks = 0;
  counted_footprint counted{held, {}};
  counted.recipe = {held.recipe, {held.recipe.recompute, &looks}};
  const pipeline_layers layers{held.model, held.recipe, held.parallelism};
  const detail::rank_sum fullest =
      detail::fullest_of_rounds(counted, layers, 1, detail::rank_sum{});
  CHECK(fullest.activations > bytes{0});
  return looks;
}

// A sum over all chunks for each moment is 47,334 looks at 64 chunks, and grows with the square of
// the chunks.
TEST_CASE("unlike chunks are looked at a few times each", "[memory][work]") {
  for (const int interleave : {64, 256, 1024}) {
    CAPTURE(interleave);
    CHECK(looks_at_chunks(interleave) < std::int64_t{50} * interleave);
  }
}

}  // namespace
}  // namespace gpuplan
