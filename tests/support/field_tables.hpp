#pragma once
/// \file
/// What every table of fields must keep.

#include <cstddef>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include <gpuplan/model/field.hpp>
#include <gpuplan/require.hpp>

#include "support/catch.hpp"

namespace gpuplan::testing {

/// Stands for a value of any type.
struct anything {
  template <class T>
  constexpr operator T() const;
};

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires {
    T{(static_cast<void>(I), anything{})...};
  };
}

/// Members of an aggregate.
template <class T, std::size_t N = 0>
constexpr std::size_t members_of() {
  if constexpr (takes<T>(std::make_index_sequence<N + 1>{}))
    return members_of<T, N + 1>();
  else
    return N;
}

/// Keys and options are named once, and there is help for each.
template <class Rows>
void check_names(const Rows& rows) {
  std::set<std::string> keys;
  std::set<std::string> options;
  for (const auto& row : rows) {
    CAPTURE(std::string(row.key));
    CHECK(keys.insert(std::string(row.key)).second);
    std::istringstream aliases{std::string(row.option)};
    for (std::string name; std::getline(aliases, name, ',');) {
      CHECK(name.starts_with("--"));
      CHECK(options.insert(name).second);
    }
    CHECK_FALSE(row.option.empty());
    CHECK_FALSE(row.help.empty());
    CHECK((row.effect.where == nullptr) == row.effect.idle_because.empty());
    if (row.value.get != nullptr) CHECK(row.value.least <= row.value.most);
  }
}

/// The usual values, the least and the most are read back, and validity ends where the row says.
template <class Rows, class Owner>
void check_bounds(const Rows& rows, const Owner& usual) {
  const auto valid = [](const Owner& of) {
    try {
      require_valid(of);
      return true;
    } catch (const invalid_input&) {
      return false;
    }
  };
  for (const auto& row : rows) {
    if (row.value.get == nullptr) continue;
    CAPTURE(std::string(row.key));
    Owner changed = usual;
    for (const double x : {row.value.least, row.value.most}) {
      row.value.set(changed, x);
      CHECK(row.value.get(changed) == x);
      CHECK(valid(changed));
    }
    const bool may_be_less = row.value.kind == field_kind::count ||
                             row.value.kind == field_kind::number ||
                             row.value.kind == field_kind::quantity;
    if (!may_be_less) continue;
    row.value.set(changed, row.value.least - 1);
    CHECK_FALSE(valid(changed));
  }
}

}  // namespace gpuplan::testing
