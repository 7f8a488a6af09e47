// What an answer says of its inputs is a request with the same answer, to the last bit.
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/recipe_fields.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/report/json.hpp>

#include "support/catch.hpp"
#include "support/random_request.hpp"

namespace gpuplan {
namespace {

using testing::draws;
using testing::random_request;
using testing::random_request_of;

/// What answers show of each field, read back.
template <class Rows, class Owner>
Owner echoed(const Rows& rows, const Owner& asked) {
  Owner back{};
  for (const field<Owner>& row : rows) {
    const report_json said = json_of(row, asked);
    const member_value<Owner>& value = row.value;
    if (said.is_null()) continue;  // as it is without the field
    if (said.is_string())
      value.set(back, find_spelling(said.get<std::string>(), value.names)->value);
    else if (said.is_boolean())
      value.set(back, said.get<bool>() ? 1 : 0);
    else if (said.is_number())
      value.set(back, said.get<double>());
    else if (value.kind == field_kind::set_of_choices) {
      int bits = 0;
      for (const auto& name : said)
        bits |= find_spelling(name.get<std::string>(), value.names)->value;
      value.set(back, bits);
    } else if constexpr (std::is_same_v<Owner, recipe>)
      back.*value.stages = layer_split{said.get<std::vector<int>>()};
  }
  return back;
}

/// What random_request_of leaves at its usual value.
void draw_the_rest(random_request& r) {
  draws any{~r.number};
  recipe& how = r.recipe;
  how.gradient = any.first_of<gradient_format>(4);
  if (any.one_in(2)) how.reduction = any.first_of<reduction_format>(4);
  how.dispatcher = any.first_of<expert_dispatcher>(4);
  how.overlap = {.data = any.first_of<software_choice>(3),
                 .tensor = any.first_of<software_choice>(3),
                 .pipeline = any.first_of<software_choice>(3),
                 .expert = any.first_of<software_choice>(3)};
  how.cuda_graphs = any.first_of<cuda_graphs>(3);
  how.fp8_recipe = any.first_of<fp8_recipe>(3);
  how.gradient_accumulation_fusion = any.first_of<software_choice>(3);
  how.shared_expert_overlap = any.one_in(2);
  how.expert_fusion = any.first_of<software_choice>(3);
  how.latent_rotary_fusion = any.first_of<software_choice>(3);
  how.recompute_modules = {static_cast<unsigned>(any.between(0, 127))};
  if (any.one_in(2)) how.expert_capacity_factor = 1.25;
  if (any.one_in(2)) how.power_limit = watts{300};
  how.adapters.place = any.first_of<adapter_place>(2);
  if (r.model.encoder_layers > 0 && any.one_in(2)) how.encoder_sequence_length = 64;
  if (r.parallelism.interleave > 1 && any.one_in(2))
    how.interleave_group = any.between(1, 3 * r.parallelism.pipeline);
  const int stages = r.parallelism.pipeline;
  if (stages > 1 && r.parallelism.interleave == 1 && stages <= 64 && any.one_in(4)) {
    std::vector<int> layers(static_cast<std::size_t>(stages), r.model.layers / stages);
    layers.back() += r.model.layers % stages;
    how.split = layer_split{layers};
  }
  r.parallelism.exchange = any.first_of<context_exchange>(2);
  r.parallelism.order = any.first_of<group_order>(2);
}

bool same(const estimate& a, const estimate& b) {
  bool alike = a.refusal.reason == b.refusal.reason && a.refusal.needed == b.refusal.needed &&
               a.refusal.available == b.refusal.available && a.needed == b.needed &&
               a.model_flop == b.model_flop && a.tokens_per_step == b.tokens_per_step &&
               a.peak == b.peak && a.gpus == b.gpus;
  for (const step_term term : step_terms) alike = alike && a.time[term] == b.time[term];
  return alike;
}

/// Fails at the first request of which the echo has another answer.
void check_echoes(std::uint64_t first, std::uint64_t count) {
  std::uint64_t costed = 0;
  for (std::uint64_t i = first; i < first + count; ++i) {
    random_request r = random_request_of(i);
    draw_the_rest(r);
    const recipe how = echoed(recipe_fields, r.recipe);
    const parallelism cut = echoed(parallelism_fields, r.parallelism);
    const estimate asked = evaluate(r.model, r.pool, r.recipe, r.parallelism);
    costed += asked.costed();
    if (same(asked, evaluate(r.model, r.pool, how, cut))) continue;
    INFO(r);
    FAIL("the echo has another answer");
  }
  CHECK(costed > count / 4);
}

TEST_CASE("the echo of a random request has its answer", "[plan][property][long]") {
  check_echoes(0, 20'000);
}

TEST_CASE("so have a hundred thousand echoes", "[plan][property][.slow]") {
  check_echoes(1'000'000, 100'000);
}

TEST_CASE("the echo says in which format ranks reduce gradients", "[plan]") {
  const auto said = [](const recipe& how) {
    return json_of(how).at("reduce_dtype").get<std::string>();
  };
  for (const framework by : frameworks)
    for (const precision p : precisions) {
      const precision_formats of = formats_of(p);
      const bool as_accumulated =
          by == framework::transformer_engine || by == framework::megatron_2021;
      const number_format format = by == framework::megatron_deepspeed ? of.weight
                                   : as_accumulated                    ? of.gradient
                                                                       : number_format::fp32;
      CAPTURE(static_cast<int>(by), static_cast<int>(p));
      CHECK(said({.precision = p, .framework = by}) == spelled(number_format_names, format));
    }
  CHECK(said({.gradient = gradient_format::bf16}) == "bf16");
  CHECK(said({.gradient = gradient_format::bf16, .reduction = reduction_format::fp32}) == "fp32");
}

}  // namespace
}  // namespace gpuplan
