#pragma once
/// \file
/// Choices that change no answer.

#include <string>
#include <string_view>

#include <gpuplan/api/job.hpp>
#include <gpuplan/model/field.hpp>
#include <gpuplan/model/recipe_fields.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan::api {

/// How a choice is called where it was made.
enum class choice_name { field, option };

/// Whether other kinds of recomputation are tried, too.
enum class recompute_choice { fixed, searched };

namespace detail {

/// Whether asking for a row is refused, as it has no effect on a job.
template <class Owner>
bool is_idle(const field<Owner>& row, const training_setup& of) {
  const field_effect& effect = row.effect;
  return effect.where != nullptr && effect.idle != idle_value::accepted && !effect.where(of);
}

/// Refuses each value of a part of the job, other than the usual one, that has no effect under any
/// of the recipes that are tried.
/// \throws invalid_input
template <class Rows, class Owner>
void require_effects_of(const Rows& rows, const Owner& chosen, std::string_view part,
                        const job& asked, recompute_choice tried, choice_name made) {
  recipe how = asked.recipe;
  const training_setup fixed{asked.model, asked.recipe, asked.parallelism};
  const training_setup recomputed{asked.model, how, asked.parallelism};
  how.recompute = recompute::full;
  for (const field<Owner>& row : rows) {
    if (!is_idle(row, fixed) || row.value.get(chosen) == row.value.get(Owner{})) continue;
    if (tried == recompute_choice::searched && !is_idle(row, recomputed)) continue;
    throw invalid_input{(made == choice_name::option
                             ? std::string(row.main_option())
                             : std::string(part) + ": " + std::string(row.key)) +
                        " has no effect: " + std::string(row.effect.idle_because)};
  }
}

}  // namespace detail

/// Refuses a choice other than the usual one that has no effect on what is asked for: of experts
/// where the model has none, say.
/// \throws invalid_input
inline void require_effects(const job& asked, recompute_choice tried, choice_name made) {
  detail::require_effects_of(recipe_fields, asked.recipe, "recipe", asked, tried, made);
  detail::require_effects_of(parallelism_fields, asked.parallelism, "parallelism", asked, tried,
                             made);
}

/// Sets each choice of a table that has no effect on a job to its usual value.  Those that were
/// asked for are kept, for require_effects to refuse.
///
///     asked_for  whether a row, as field<Owner>, was asked for
template <class Rows, class Owner, class AskedFor>
void take_back_idle(const Rows& rows, Owner& chosen, const job& asked, const AskedFor& asked_for) {
  const training_setup of{asked.model, asked.recipe, asked.parallelism};
  for (const field<Owner>& row : rows)
    if (detail::is_idle(row, of) && !asked_for(row)) row.value.set(chosen, row.value.get(Owner{}));
}

}  // namespace gpuplan::api
