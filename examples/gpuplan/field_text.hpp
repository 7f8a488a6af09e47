#pragma once
/// \file
/// What a field is, in words: for the help texts.

#include <string>
#include <string_view>

#include <gpuplan/api/request_fields.hpp>
#include <gpuplan/model/field.hpp>

namespace gpuplan::cli {

/// "none, selective or full": the name to print of each value; nothing of other kinds.
template <class Owner>
std::string names_in_words(const field<Owner>& row) {
  const auto names = row.value.names;
  std::string words;
  std::string_view last;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (spelled(names, names[i].value) != names[i].name) continue;
    if (!last.empty()) words += (words.empty() ? "" : ", ") + std::string(last);
    last = names[i].name;
  }
  return words.empty() ? std::string(last) : words + " or " + std::string(last);
}

using api::usual_in_words;

/// "Rule that updates the weights: sgd, momentum or adam [adamw]".
template <class Owner>
std::string help_of(const field<Owner>& row, std::string_view usual) {
  std::string words{row.help};
  if (!row.value.names.empty()) words += ": " + names_in_words(row);
  if (row.value.kind == field_kind::flag || row.value.kind == field_kind::flag_or_probability)
    words += ": on or off";
  return usual.empty() ? words : words + " [" + std::string(usual) + "]";
}

}  // namespace gpuplan::cli
