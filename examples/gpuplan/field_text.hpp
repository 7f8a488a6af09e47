#pragma once
/// \file
/// What a field is, in words: for the help texts.

#include <string>
#include <string_view>

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

/// What stands for a field that is absent: "adamw", "off", "0.04".
template <class Owner>
std::string usual_in_words(const field<Owner>& row) {
  if (!row.usual.empty() || row.value.get == nullptr) return std::string(row.usual);
  const double x = row.value.get(Owner{});
  switch (row.value.kind) {
    case field_kind::flag:
    case field_kind::flag_or_probability: return x != 0 ? "on" : "off";
    case field_kind::choice:
    case field_kind::level: return std::string(spelled(row.value.names, static_cast<int>(x)));
    case field_kind::set_of_choices: return "none";
    default: break;
  }
  std::string digits = std::to_string(x);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

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
