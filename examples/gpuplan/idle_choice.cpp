/// \file
/// Choices that change no answer.

#include "idle_choice.hpp"

#include <string>
#include <string_view>

#include <gpuplan/require.hpp>

namespace gpuplan::cli {
namespace {

struct choice_made {
  std::string_view field;
  std::string_view option;  ///< empty where there is none
  bool unusual = false;
  bool has_effect = true;
  std::string_view why_none;
};

}  // namespace

void require_effects(const job& asked, recompute_choice tried, choice_name made) {
  const recipe usual;
  const recipe& how = asked.recipe;
  const bool experts = asked.model.moe.experts > 0;
  const bool encoder = asked.model.encoder_layers > 0;
  const bool full = how.recompute == recompute::full || tried == recompute_choice::searched;
  constexpr std::string_view no_experts = "the model has no experts";
  const choice_made choices[]{
      {"expert_imbalance", "--expert-imbalance", how.expert_imbalance != usual.expert_imbalance,
       experts, no_experts},
      {"expert_dispatch", "--expert-dispatch", how.dispatch != usual.dispatch, experts, no_experts},
      {"expert_messages", "--expert-messages", how.messages != usual.messages, experts, no_experts},
      {"recompute_every", "--recompute-every", how.recompute_every != usual.recompute_every, full,
       "nothing but full recomputation goes by blocks of layers"},
      {"adapter_place", "--adapter-place", how.adapters.place != usual.adapters.place, how.adapts(),
       "there are no adapters, whose rank would be above 0"},
      {"encoder_sequence_length", "--encoder-sequence",
       how.encoder_sequence_length != usual.encoder_sequence_length, encoder,
       "the model has no encoder beside a decoder"},
      {"interleave_group", "", how.interleave_group != usual.interleave_group,
       asked.parallelism.interleave > 1, "stages of one chunk do not interleave"}};
  for (const choice_made& one : choices) {
    if (!one.unusual || one.has_effect) continue;
    const bool by_option = made == choice_name::option && !one.option.empty();
    throw invalid_input{
        (by_option ? std::string(one.option) : "recipe: " + std::string(one.field)) +
        " has no effect: " + std::string(one.why_none)};
  }
}

}  // namespace gpuplan::cli
