#pragma once
/// \file
/// The names of a row's inputs: a letter, or a word of its meaning.

#include <cstddef>
#include <string>
#include <string_view>

#include <gpuplan/registry/formula.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan::registry {

namespace detail {

constexpr bool is_word_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// A meaning up to its first comma, semicolon, colon or bracket.
constexpr std::string_view head_of(std::string_view meaning) {
  return meaning.substr(0, meaning.find_first_of(",;:("));
}

/// Whether a word of a meaning, or the words from there on, begin with what was typed.
constexpr bool has_word(std::string_view meaning, const folded_name& typed) {
  for (std::size_t i = 0; i < meaning.size(); ++i)
    if (is_word_letter(meaning[i]) && (i == 0 || !is_word_letter(meaning[i - 1])) &&
        folded_name{meaning.substr(i)}.text().starts_with(typed.text()))
      return true;
  return false;
}

}  // namespace detail

/// The name of a symbol in words: "offered load" is offered_load.
inline std::string name_of(const symbol& of) {
  std::string name;
  for (const char c : detail::head_of(of.meaning)) {
    if (detail::is_word_letter(c))
      name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    else if (!name.empty() && !name.ends_with('_'))
      name += '_';
  }
  while (name.ends_with('_')) name.pop_back();
  return name;
}

/// Symbols that a name may mean: one where it is understood, several where it is not clear.
using meant_symbols = few<std::size_t, 12>;

/// The symbols of a row that a name means.  The first of these rules that finds any decides:
///
///     the letter as it is         c_a^2, P
///     the whole name              offered_load, OfferedLoad
///     the letter, whatever case   lambda, ca2
///     the first letters of it     off
///     a word of the meaning       load, bandwidth
constexpr meant_symbols symbols_called(const formula& row, std::string_view typed) {
  const folded_name wanted{typed};
  const auto matches = [&](auto rule) {
    meant_symbols meant;
    for (std::size_t i = 0; i < row.symbols.size(); ++i)
      if (rule(row.symbols[i])) meant.add(i);
    return meant;
  };
  if (const auto exact = matches([&](const symbol& s) { return s.letter == typed; });
      !exact.empty())
    return exact;
  if (wanted.text().empty() || wanted.cut_off()) return {};
  if (const auto named = matches(
          [&](const symbol& s) { return folded_name{detail::head_of(s.meaning)} == wanted; });
      !named.empty())
    return named;
  if (const auto letters =
          matches([&](const symbol& s) { return folded_name{s.letter} == wanted; });
      !letters.empty())
    return letters;
  if (const auto begun = matches([&](const symbol& s) {
        return folded_name{s.meaning}.text().starts_with(wanted.text());
      });
      !begun.empty())
    return begun;
  return matches([&](const symbol& s) { return detail::has_word(s.meaning, wanted); });
}

/// "offered_load (a)".
inline std::string title_of(const symbol& of) {
  const std::string name = name_of(of);
  return name == of.letter ? name : name + " (" + std::string(of.letter) + ")";
}

}  // namespace gpuplan::registry
