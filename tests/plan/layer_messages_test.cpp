#include <gpuplan/plan/layer_messages.hpp>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/busy_time.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr node box = node_of(catalog::a100_sxm4_80gb, 8, interconnect{14 * us, 23.5 * GB / second});
constexpr framework_profile software = profile_of(framework::transformer_engine);
constexpr recipe how{.global_batch_size = 64, .sequence_length = 4096};

constexpr auto busy(const transformer& m, layer_kind kind, const parallelism& cut,
                    const recipe& with = how) {
  return busy_time_of_layer(m, kind, with, cut, {.sequence_length = with.sequence_length},
                            kernel_rates_of(box.gpu, with, software), software,
                            rank_links_of(box, cut));
}
constexpr auto mixtral(const parallelism& cut, const recipe& with = how) {
  return busy(catalog::mixtral_8x7b_v0_1, layer_kind::moe, cut, with);
}
constexpr auto llama(const parallelism& cut, const recipe& with = how) {
  return busy(catalog::llama_3_8b, layer_kind::dense, cut, with);
}

TEST_CASE("a copy for each node is less than one for each expert", "[plan][facts]") {
  // DeepSeek-V3 over 8 nodes of 8: a token has 8 of 256 experts, 7 of them elsewhere, on 4.6 nodes.
  const parallelism cut{.data = 64, .expert = 64};
  recipe once = how;
  once.dispatcher = expert_dispatcher::deep_ep;
  const auto deepseek = [&](const recipe& with) {
    return busy(catalog::deepseek_v3, layer_kind::moe, cut, with).expert;
  };
  const double nodes = other_nodes_of_token(256, 8, 8);
  CHECK_THAT(deepseek(once) / deepseek(how), WithinRel(nodes / 7, 0.02));
  recipe all = how;
  all.dispatcher = expert_dispatcher::all_gather;
  CHECK(deepseek(all) > deepseek(how));
  recipe hidden = how;
  hidden.overlap.expert = software_choice::on;
  CHECK(deepseek(hidden) < deepseek(how));
  CHECK(deepseek(hidden) >= (1 - expert_hiding) * deepseek(how));
  recipe beside = how;
  beside.shared_expert_overlap = true;
  CHECK(deepseek(beside) < deepseek(how));
}

TEST_CASE("tensor ranks of an expert exchange their own tokens, then gather", "[plan][facts]") {
  // Eight groups of four ranks: the port of a rank carries 6 of 8 parts of its own 2 x 1024 tokens,
  // and its links bring those of the three others.
  const parallelism cut{.data = 8, .tensor = 4, .expert = 8, .expert_tensor = 4};
  const auto links = rank_links_of(box, cut);
  REQUIRE(links.experts_in_node == 2);
  const bytes own = 2 * (how.sequence_length / 4.0) * 4096 * 2 * byte;
  const seconds once = 6.0 / 8 * own / links.outside.bandwidth + 3 * own / links.inside.bandwidth +
                       3 * (links.outside.latency + collective_start);
  CHECK_THAT(mixtral(cut).expert / (4 * once), WithinRel(1, 1e-9));
}

TEST_CASE("experts of other nodes are reached no faster than was measured", "[plan][facts]") {
  const parallelism cut{.data = 64, .expert = 64};
  const auto over = [&](const bytes_per_second& port, expert_dispatcher how_sent) {
    recipe with = how;
    with.dispatcher = how_sent;
    const node one = node_of(catalog::h100_sxm5_80gb, 8, interconnect{14 * us, port});
    return busy_time_of_layer(catalog::deepseek_v3, layer_kind::moe, with, cut,
                              {.sequence_length = with.sequence_length},
                              kernel_rates_of(one.gpu, with, software), software,
                              step_links_of(one, cut))
        .expert;
  };
  for (const expert_dispatcher sent :
       {expert_dispatcher::all_to_all, expert_dispatcher::all_gather, expert_dispatcher::deep_ep}) {
    const seconds measured = over(measured_expert_port, sent);
    CHECK(over(0.99 * measured_expert_port, sent) > measured);
    CHECK(over(1.01 * measured_expert_port, sent) == measured);
    CHECK(over(2 * measured_expert_port, sent) == measured);
  }
}

TEST_CASE("a dispatcher of a domain takes the time of its bytes", "[plan][facts]") {
  // As deep_ep, each token once to a rank, but nothing for a token by itself.
  recipe direct = how;
  direct.dispatcher = expert_dispatcher::hybrid_ep;
  const auto of = kernel_rates_of(box.gpu, direct, software).dispatchers;
  const bytes sent = how.sequence_length * other_nodes_of_token(8, 2, 8) * 4096 * 2 * byte;
  const seconds there = of.hybrid_start + sent / of.hybrid_dispatch;
  const seconds back = of.hybrid_start + sent / of.hybrid_combine;
  CHECK_THAT(mixtral({.data = 8, .expert = 8}, direct).expert / (2 * (there + back)),
             WithinRel(1, 1e-9));
}

TEST_CASE("messages that overlap show a share", "[plan][facts]") {
  recipe shown = how;
  shown.overlap.tensor = software_choice::off;
  const parallelism cut{.tensor = 8};
  CHECK_THAT(llama(cut).tensor / llama(cut, shown).tensor,
             WithinRel(software.tensor_exposed, 1e-12));
  // Of a mixture nothing hides them, unless the recipe says so.
  recipe hidden = how;
  hidden.overlap.tensor = software_choice::on;
  CHECK(mixtral(cut, hidden).tensor < mixtral(cut).tensor);
  CHECK(mixtral(cut, shown).tensor == mixtral(cut).tensor);
}

TEST_CASE("tokens of routed experts are not gathered a second time", "[plan][facts]") {
  // Attention's sum alone, where a dense layer has the network's too; shared experts have theirs.
  recipe shown = how;
  shown.overlap.tensor = software_choice::off;
  const parallelism cut{.data = 8, .tensor = 4, .expert = 8, .expert_tensor = 1};
  transformer dense = catalog::mixtral_8x7b_v0_1;
  dense.moe = {};
  dense.ffn_size = 14336;
  const seconds both = busy(dense, layer_kind::dense, {.data = 8, .tensor = 4}, shown).tensor;
  CHECK_THAT(mixtral(cut, shown).tensor / both, WithinRel(0.5, 1e-12));
  transformer shared = catalog::mixtral_8x7b_v0_1;
  shared.moe.shared_ffn_size = 2048;
  CHECK_THAT(busy(shared, layer_kind::moe, cut, shown).tensor / both, WithinRel(1, 1e-12));
  shared.parallel_residual = true;  // one sum for attention and what runs beside it
  CHECK_THAT(busy(shared, layer_kind::moe, cut, shown).tensor / both, WithinRel(0.5, 1e-12));
}

TEST_CASE("a context ring carries latents where the core works on them", "[plan][reference]") {
  // DeepSeek-V3.2: 512 + 64 values of 2 B a token, of which each of two ranks has 2,048.
  transformer chosen = catalog::deepseek_v3;
  chosen.sparse = {.heads = 64,
                   .head_dim = 128,
                   .query_rank = 1536,
                   .tokens = 2048,
                   .layers = 61,
                   .attending_layers = 61};
  const parallelism cut{.data = 8, .context = 2, .expert = 16};
  const basic_rank_links<double> links = rank_links_of(box, cut);
  const auto rates = kernel_rates_of(box.gpu, how, software);
  const auto talk =
      detail::talk_of(chosen, layer_kind::moe, how, cut, links, 2048, rates, 1.0).ring;
  const seconds sent = 2048 * (512 + 64) * 2 * units::byte / links.context.bandwidth;
  CHECK_THAT(talk / (sent + start_of(links.context)), WithinRel(1, 1e-12));
}

TEST_CASE("ranks that divide tokens gather latents in place of the state", "[plan][reference]") {
  // DeepSeek-V3: 1536 + 512 + 64 values in, 7168 out, of attention; 7168 each of shared experts.
  recipe divided = how;
  divided.sequence_parallel = true;
  const parallelism cut{.data = 16, .tensor = 8, .expert = 16, .expert_tensor = 1};
  const auto talk = [&](const recipe& with) {
    return busy(catalog::deepseek_v3, layer_kind::moe, cut, with).tensor;
  };
  const interconnect ring = rank_links_of(box, cut).tensor;
  const seconds start = ring.latency + collective_start;
  const auto wire = [&](double values) {
    return 7.0 / 8 * how.sequence_length * values * 2 * byte / ring.bandwidth;
  };
  const seconds whole = 2 * (2 * wire(7168) + 2 * start);
  CHECK_THAT(talk(how) / (2 * whole), WithinRel(1, 1e-9));
  const seconds latent = wire(2112) + 3 * wire(7168) + 4 * start;
  CHECK_THAT(talk(divided) / (2.25 * latent), WithinRel(1, 1e-9));
}

TEST_CASE("a ring carries the heads that are expanded from latents", "[plan][reference]") {
  // 128 heads of 192 and 128 of DeepSeek-V3, where 576 values of a token would be latents.
  const parallelism cut{.context = 8};
  const interconnect ring = rank_links_of(box, cut).context;
  const double rows = how.sequence_length / 8.0;
  const auto once = [&](double values) {
    return 7 * (rows * values * 2 * byte / ring.bandwidth + start_of(ring));
  };
  const auto of = [&](const transformer& m) {
    return detail::talk_of<double>(m, layer_kind::dense, how, cut, rank_links_of(box, cut), rows,
                                   kernel_rates_of(box.gpu, how, software), 1)
        .ring;
  };
  CHECK_THAT(of(catalog::deepseek_v3) / once(128.0 * (192 + 128)), WithinRel(1, 1e-9));
  CHECK_THAT(of(catalog::llama_3_8b) / once(8.0 * 256), WithinRel(1, 1e-9));
  transformer indexed = catalog::deepseek_v3;  // its core works on latents
  indexed.sparse = {.heads = 64, .head_dim = 128, .tokens = 2048};
  CHECK_THAT(of(indexed) / once(512 + 64), WithinRel(1, 1e-9));
}

TEST_CASE("all-to-alls over the heads take what ulysses_time says, both ways", "[plan][facts]") {
  const parallelism cut{.context = 8, .exchange = context_exchange::all_to_all};
  const double rows = how.sequence_length / 8.0;
  const auto sent = ulysses_messages_of(catalog::llama_3_8b, cut, rows, bytes{2});
  const seconds once = ulysses_time(box.scale_up, box.fabric, {8, 8}, sent).total();
  const auto exchanged = llama(cut);
  CHECK_THAT(exchanged.context.in(second),
             WithinRel((2 * (once + 4 * collective_start)).in(second), 1e-12));
  CHECK(exchanged.attention == llama({.context = 8}).attention);
  // Four ranks of eight in a node: half of what is sent goes over the port of each.
  const auto spread = llama({.tensor = 2, .context = 4, .exchange = cut.exchange});
  CHECK(llama({.tensor = 4, .context = 4, .exchange = cut.exchange}).context > spread.context);
  CHECK(llama({.context = 1, .exchange = cut.exchange}).context == seconds{0});
}

}  // namespace
}  // namespace gpuplan
