#include <gpuplan/plan/busy_time.hpp>

#include <cmath>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/recipe_names.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr node box = node_of(catalog::a100_sxm4_80gb, 8, interconnect{14 * us, 23.5 * GB / second});
constexpr framework_profile software = profile_of(framework::transformer_engine);
constexpr recipe how{.global_batch_size = 64, .sequence_length = 4096};

constexpr auto busy(const transformer& m, layer_kind kind, const parallelism& cut,
                    const recipe& with = how, const framework_profile& by = software) {
  return busy_time_of_layer(m, kind, with, cut, {.sequence_length = with.sequence_length},
                            kernel_rates_of(box.gpu, with, by), by, rank_links_of(box, cut));
}
constexpr auto mixtral(const parallelism& cut, const recipe& with = how) {
  return busy(catalog::mixtral_8x7b_v0_1, layer_kind::moe, cut, with);
}
constexpr auto llama(const parallelism& cut, const recipe& with = how) {
  return busy(catalog::llama_3_8b, layer_kind::dense, cut, with);
}

constexpr basic_busy_time<double> each_part{1 * second,   2 * second,  4 * second,  8 * second,
                                            16 * second,  32 * second, 64 * second, 128 * second,
                                            256 * second, 512 * second};
static_assert(each_part.total() == 1023 * second, "each part once");
static_assert(each_part.kernels() == 31 * second);
static_assert((each_part + 2 * each_part).total() == 3 * 1023 * second);
static_assert((each_part + 2 * each_part).kernels() == 3 * 31 * second);
static_assert((2 * each_part).context == 256 * second && (2 * each_part).launch == 64 * second);

TEST_CASE("what is not cut does not talk", "[plan][limits]") {
  const auto alone = mixtral({});
  CHECK(alone.tensor + alone.context + alone.expert + alone.gather == seconds{0});
  CHECK(mixtral({.data = 2, .tensor = 2}).tensor > seconds{0});
  CHECK(mixtral({.context = 2}).context > seconds{0});
  CHECK(mixtral({.data = 8, .expert = 8}).expert > seconds{0});
  recipe sharded = how;
  sharded.zero = zero_stage::parameters;
  CHECK(llama({.data = 8}, sharded).gather > seconds{0});
  CHECK(llama({}, sharded).gather == seconds{0});
}

TEST_CASE("of a host that runs ahead, nearly the longer time is left", "[plan][facts]") {
  for (const double device : {0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0, 1.2, 1.5, 2.0, 4.0, 20.0}) {
    const seconds ahead = detail::launch_wait<double>(1 * second, device * second, true);
    const seconds behind = detail::launch_wait<double>(1 * second, device * second, false);
    const double norm = std::pow(1 + std::pow(device, 4), 0.25);
    // Below half of the host both laws are the host alone; there the root is up to 1.6 % above.
    CHECK_THAT(ahead.in(second) + device, WithinRel(device <= 0.5 ? 1 : norm, 0.001));
    CHECK(ahead <= behind);
    if (device >= 0.6) CHECK(ahead < behind);
    CHECK(ahead.in(second) + device >= 1);
    CHECK(ahead > seconds{0});
  }
  CHECK(detail::launch_wait<double>(seconds{0}, 1 * second, true) == seconds{0});
  CHECK(detail::launch_wait<double>(1 * second, seconds{0}, true) == 1 * second);
  CHECK(detail::launch_wait<double>(1 * second, seconds{0}, false) == 1 * second);
}

TEST_CASE("messages of a layer hold the host up", "[plan][facts]") {
  const framework_profile megatron = profile_of(framework::megatron_2021);
  recipe sharded = how;
  sharded.zero = zero_stage::parameters;
  CHECK(detail::launches_ahead(how, {.data = 8, .pipeline = 2}, megatron));
  CHECK(detail::launches_ahead(sharded, {}, megatron));
  CHECK(!detail::launches_ahead(sharded, {.data = 8}, megatron));
  CHECK(!detail::launches_ahead(how, {.tensor = 2}, megatron));
  CHECK(!detail::launches_ahead(how, {.context = 2}, megatron));
  CHECK(!detail::launches_ahead(how, {.data = 8, .expert = 8}, megatron));
  CHECK(!detail::launches_ahead(how, {.data = 8, .expert_tensor = 4}, megatron));
  CHECK(!detail::launches_ahead(how, {}, profile_of(framework::fsdp)));
}

TEST_CASE("full recomputation is another forward pass, messages included", "[plan][facts]") {
  recipe full = how;
  full.recompute = recompute::full;
  const auto once = llama({.tensor = 4});
  const auto twice = llama({.tensor = 4}, full);
  CHECK(once.recompute == seconds{0});
  // The backward pass of the products takes twice the forward's and a little more for the FP32
  // gradients that it adds to; the messages of a pass are half of both passes'.
  CHECK(twice.recompute > once.tensor / 2 + once.products / 3.5);
  CHECK(twice.recompute < (once.total()) / 2);
  CHECK(twice.products == once.products);
}

TEST_CASE("selective recomputation repeats the attention core alone", "[plan][facts]") {
  recipe selective = how;
  selective.recompute = recompute::selective;
  const auto busy_with = llama({}, selective);
  // Forward is 1 of the 3.5 parts that forward and backward are, backward at a lower rate.
  CHECK(busy_with.recompute > busy_with.attention / 4);
  CHECK(busy_with.recompute < busy_with.attention / 3);
}

TEST_CASE("traffic that hides still shows its exposed share", "[plan][limits]") {
  recipe sharded = how;
  sharded.zero = zero_stage::parameters;
  framework_profile perfect = software;
  perfect.data_exposed = 1e-9;
  const parallelism cut{.data = 8};
  const auto hidden = busy(catalog::llama_3_8b, layer_kind::dense, cut, sharded, perfect);
  const auto shown = busy(catalog::llama_3_8b, layer_kind::dense, cut, sharded);
  CHECK(hidden.gather < shown.gather);
}

TEST_CASE("uneven experts keep the fullest rank busy for longer", "[plan][facts]") {
  const parallelism cut{.data = 8, .expert = 8};
  recipe uneven = how;
  uneven.expert_imbalance = 2;
  const auto even = mixtral(cut);
  const auto fullest = mixtral(cut, uneven);
  CHECK(fullest.products > 1.5 * even.products);
  CHECK(fullest.products < 2 * even.products);
  const seconds starts = 4 * kernel_rates_of(box.gpu, how, software).exchange_start;
  CHECK_THAT((fullest.expert - starts) / (even.expert - starts), WithinRel(2, 1e-9));
  CHECK(fullest.attention == even.attention);
}

TEST_CASE("capacity bounds what experts take, and is filled up", "[plan][facts]") {
  const parallelism cut{.data = 8, .expert = 8};
  recipe bounded = how;
  bounded.expert_capacity_factor = 1;
  CHECK(mixtral(cut, bounded).products == mixtral(cut).products);
  bounded.expert_imbalance = 3;
  CHECK(mixtral(cut, bounded).products == mixtral(cut).products);
  bounded.expert_capacity_factor = 1.5;
  CHECK(mixtral(cut, bounded).products > mixtral(cut).products);

  // Below 1 each expert drops tokens: of products and messages that part is left, of attention all.
  const seconds starts = 4 * kernel_rates_of(box.gpu, how, software).exchange_start;
  bounded.expert_capacity_factor = 0.5;
  const auto half = mixtral(cut, bounded);
  CHECK(half.products < mixtral(cut).products);
  CHECK(half.products > 0.5 * mixtral(cut).products);
  CHECK_THAT((half.expert - starts) / (mixtral(cut).expert - starts), WithinRel(0.5, 1e-9));
  CHECK(half.attention == mixtral(cut).attention);
  bounded.expert_capacity_factor = 1e-6;  // a row for each expert is left
  CHECK(mixtral(cut, bounded).products > seconds{0});
}

TEST_CASE("modules that are computed again take less than the layer", "[plan][facts]") {
  const parallelism cut{.data = 64, .expert = 64};
  const auto again = [&](unsigned bits, recompute whole = recompute::none) {
    recipe with = how;
    with.recompute = whole;
    with.recompute_modules = {bits};
    return busy(catalog::deepseek_v3, layer_kind::moe, cut, with).recompute;
  };
  const seconds full = again(0, recompute::full);
  CHECK(again(0) == seconds{0});
  for (const named<recomputed_module>& module : module_names) {
    CAPTURE(std::string(module.name));
    const seconds one = again(static_cast<unsigned>(module.value));
    CHECK(one < full);
    CHECK((one > seconds{0}) == (module.value != recomputed_module::mlp));
    CHECK(again(static_cast<unsigned>(module.value), recompute::full) == full);
  }
  const auto core = static_cast<unsigned>(recomputed_module::core_attn);
  CHECK(again(core) == again(0, recompute::selective));
  CHECK(again(core, recompute::selective) == again(core));
}

TEST_CASE("frozen weights are gathered twice and scattered never", "[plan][facts]") {
  recipe sharded = how;
  sharded.zero = zero_stage::parameters;
  sharded.reduction = reduction_format::bf16;  // gradients as wide as weights
  framework_profile shown = software;
  shown.overlaps_data = false;
  const parallelism cut{.data = 64};  // longer than any pass, so that little of it hides
  const auto trained = busy(catalog::llama_3_8b, layer_kind::dense, cut, sharded, shown);
  sharded.adapters.rank = 8;
  const auto frozen = busy(catalog::llama_3_8b, layer_kind::dense, cut, sharded, shown);
  CHECK_THAT(frozen.gather / trained.gather, WithinRel(2.0 / 3, 1e-9));
}

TEST_CASE("gradients that products do not add take traffic of their own", "[plan][facts]") {
  recipe apart = how;
  apart.gradient_accumulation_fusion = software_choice::off;
  const auto fused = llama({});
  const auto added = llama({}, apart);
  // Of a layer of Llama 3 8B: queries and output, keys and values, three maps of the gated FFN.
  const double weights = 2 * 4096. * 4096 + 2 * 4096. * 1024 + 3 * 4096. * 14336;
  const seconds moved = weights * 10 * byte / streaming_bandwidth(box.gpu);
  CHECK_THAT((added.elementwise - fused.elementwise) / moved, WithinRel(1, 1e-9));
  CHECK(added.products < fused.products);
  CHECK(added.kernels() > fused.kernels());
}

TEST_CASE("tiny layers wait for the host", "[plan][limits]") {
  constexpr transformer tiny{.layers = 1,
                             .hidden_size = 64,
                             .attention_heads = 1,
                             .ffn_size = 256,
                             .vocabulary_size = 100};
  recipe brief = how;
  brief.sequence_length = 16;
  const auto wait = busy(tiny, layer_kind::dense, {}, brief);
  const seconds device = wait.total() - wait.launch;
  CHECK_THAT(wait.total().in(second), WithinRel(software.dense_host.in(second), 1e-9));
  CHECK(device < software.dense_host / 2);
  CHECK(wait.launch > 0.7 * software.dense_host);
  const auto large = llama({});
  CHECK(large.launch < 0.05 * large.total());
  recipe graphs = brief;
  graphs.cuda_graphs = cuda_graphs::fixed_shapes;
  CHECK(busy(tiny, layer_kind::dense, {}, graphs).total() < 0.5 * wait.total());
  graphs.cuda_graphs = cuda_graphs::iteration;
  CHECK(busy(tiny, layer_kind::dense, {}, graphs).launch == seconds{0});
  // Full recomputation launches the forward pass again; tensor ranks wait for the slowest host.
  recipe again = brief;
  again.recompute = recompute::full;
  CHECK(busy(tiny, layer_kind::dense, {}, again).launch >
        (1 + 0.8 * forward_kernels) * wait.launch);
  const parallelism many{.tensor = 8};
  CHECK(busy(tiny, layer_kind::dense, many, brief).launch > 1.1 * wait.launch);
}

TEST_CASE("latent attention and shared experts launch more kernels", "[plan][limits]") {
  constexpr transformer plain{.layers = 2,
                              .hidden_size = 64,
                              .attention_heads = 1,
                              .ffn_size = 256,
                              .vocabulary_size = 100};
  transformer latent = plain;
  latent.latent = {.kv_rank = 16, .rope_head_dim = 8, .content_head_dim = 16, .value_head_dim = 16};
  recipe brief = how;
  brief.sequence_length = 16;
  const auto host = [&](const transformer& m, layer_kind kind, const recipe& by) {
    return busy(m, kind, {}, by).total().in(second);  // a tiny layer takes as long as its host
  };
  const double dense = software.dense_host.in(second);
  recipe fused = brief;
  fused.latent_rotary_fusion = software_choice::on;
  // 13 kernels of a dense layer; 29 more of latents step by step, 2 more where rotations are fused.
  CHECK_THAT(host(latent, layer_kind::dense, brief), WithinRel(dense * (1 + 29.0 / 13), 1e-9));
  CHECK_THAT(host(latent, layer_kind::dense, fused), WithinRel(dense * (1 + 2.0 / 13), 1e-9));
  CHECK_THAT(host(plain, layer_kind::dense, fused), WithinRel(dense, 1e-9));

  transformer experts = plain;
  experts.moe = {.experts = 2, .experts_per_token = 1, .ffn_size = 64};
  const double alone = host(experts, layer_kind::moe, brief);
  experts.moe.shared_ffn_size = 64;
  CHECK_THAT(host(experts, layer_kind::moe, brief) - alone, WithinRel(dense * 4.0 / 13, 1e-9));

  // A forward pass that runs again launches them again; graphs hold them.
  recipe again = brief;
  again.recompute = recompute::full;
  CHECK_THAT(host(latent, layer_kind::dense, again),
             WithinRel((1 + forward_kernels) * host(latent, layer_kind::dense, brief), 1e-9));
  recipe graphs = brief;
  graphs.cuda_graphs = cuda_graphs::fixed_shapes;
  CHECK_THAT(host(latent, layer_kind::dense, graphs),
             WithinRel(dense_host_of_graphs * host(latent, layer_kind::dense, brief), 1e-9));
}

TEST_CASE("weights of experts are gathered by the ranks that share them", "[plan]") {
  recipe sharded = how;
  sharded.zero = zero_stage::parameters;
  const auto gathered = [&](int expert) {
    return mixtral({.data = 8, .expert = expert}, sharded).gather;
  };
  CHECK(gathered(8) > seconds{0});       // attention alone
  CHECK(gathered(4) > gathered(8));      // and two experts, half of them elsewhere
  CHECK(gathered(2) > 2 * gathered(4));  // four, three quarters of them
}

}  // namespace
}  // namespace gpuplan
