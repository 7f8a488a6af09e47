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
