#pragma once
/// \file
/// Takes back choices that have no effect.

#include <gpuplan/model/field.hpp>

namespace gpuplan {

/// Sets each choice that has no effect to its usual value, where asking for it would be refused.
/// Those that were asked for are kept, so that they are refused.
///
///     asked_for  whether a row, as field<Owner>, was asked for
template <class Rows, class Owner, class AskedFor>
void take_back_idle(const Rows& rows, Owner& chosen, const training_setup& of,
                    const AskedFor& asked_for) {
  for (const field<Owner>& row : rows) {
    const field_effect& effect = row.effect;
    if (effect.where == nullptr || effect.idle == idle_value::accepted) continue;
    if (!effect.where(of) && !asked_for(row)) row.value.set(chosen, row.value.get(Owner{}));
  }
}

}  // namespace gpuplan
