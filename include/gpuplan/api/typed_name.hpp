#pragma once
/// \file
/// Names as somebody typed them: looked up in a table, or refused with those that may be meant.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/require.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_shown.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan::api {

/// A name as it is looked up: empty, the name of nothing, where it is longer than any name.
constexpr std::string_view bounded_name(std::string_view typed) {
  return typed.size() <= 4 * folded_name::capacity ? typed : std::string_view{};
}

/// "; did you mean fsdp?": the closest names of a table of rows with `name`, else the longest one
/// that is part of what was typed; empty where there is none.
template <class Table>
std::string hint_from(std::string_view typed, const Table& table) {
  const std::string closest = did_you_mean(bounded_name(typed), table);
  if (!closest.empty()) return closest;
  const folded_name letters{bounded_name(typed)};
  std::string_view longest;
  for (const auto& row : table)
    if (letters.text().find(folded_name{row.name}.text()) != std::string_view::npos &&
        row.name.size() > longest.size())
      longest = row.name;
  return longest.empty() ? std::string{} : "; did you mean " + std::string(longest) + "?";
}

/// The value that a table of rows with `name` and `value` gives to what was typed.
///
///     where  begins the line of a refusal: "recipe: optimizer"
///
/// \throws invalid_input with the names of the table, and those that may be meant
template <class Table>
auto choice(std::string_view typed, const Table& table, std::string_view where) {
  if (const auto* row = find_spelling(bounded_name(typed), table)) return row->value;
  std::string known;
  for (const auto& row : table) known += (known.empty() ? "" : ", ") + std::string(row.name);
  throw invalid_input{std::string(where) + " must be one of " + known + ", not " +
                      shown(nlohmann::json(typed)) + hint_from(typed, table)};
}

}  // namespace gpuplan::api
