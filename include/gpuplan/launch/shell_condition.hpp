#pragma once
/// \file
/// Whether a test of a shell text holds: [ ... ], [[ ... ]], and the patterns of case.

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

#include <gpuplan/launch/shell_truth.hpp>
#include <gpuplan/launch/shell_words.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan {

namespace detail {

inline shell_truth truth_of(bool holds) {
  return holds ? shell_truth::yes : shell_truth::no;
}

/// Whether nothing of a word, with its variables put in, is left to the shell.
inline bool is_literal(const shell_word& word) {
  return !word.is_operator && (word.quoting == shell_quoting::literal ||
                               word.text.find_first_of("$`") == word.text.npos);
}

inline bool is_bare(const shell_word& word, std::string_view text) {
  return !word.is_operator && word.quoting == shell_quoting::none && word.text == text;
}

/// Whether a text is what * and ? stand for.
inline bool matches_pattern(std::string_view text, std::string_view pattern) {
  std::size_t at = 0, in = 0, star = pattern.npos, from = 0;
  while (at < text.size()) {
    if (in < pattern.size() && pattern[in] == '*') {
      star = in++;
      from = at;
    } else if (in < pattern.size() && (pattern[in] == '?' || pattern[in] == text[at])) {
      ++in;
      ++at;
    } else if (star != pattern.npos) {
      in = star + 1;
      at = ++from;
    } else {
      return false;
    }
  }
  while (in < pattern.size() && pattern[in] == '*') ++in;
  return in == pattern.size();
}

inline std::optional<std::int64_t> integer_of(const shell_word& word) {
  std::int64_t number = 0;
  const char* const end = word.text.data() + word.text.size();
  const auto [at, failed] = std::from_chars(word.text.data(), end, number);
  if (failed != std::errc{} || at != end) return std::nullopt;
  return number;
}

enum class comparison { equal, unequal, less, greater, at_most, at_least };

inline constexpr auto comparisons = std::to_array<named<comparison>>({
    {"-eq", comparison::equal},
    {"-ne", comparison::unequal},
    {"-lt", comparison::less},
    {"-gt", comparison::greater},
    {"-le", comparison::at_most},
    {"-ge", comparison::at_least},
});

inline bool holds(comparison sign, std::int64_t one, std::int64_t other) {
  switch (sign) {
    case comparison::equal: return one == other;
    case comparison::unequal: return one != other;
    case comparison::less: return one < other;
    case comparison::greater: return one > other;
    case comparison::at_most: return one <= other;
    case comparison::at_least: break;
  }
  return one >= other;
}

}  // namespace detail

/// Whether a word, with its variables put in, is what a pattern of case or of [[ stands for.
/// Brackets are not read.
inline shell_truth truth_of_pattern(const shell_word& word, const shell_word& pattern) {
  if (detail::is_bare(pattern, "*")) return shell_truth::yes;
  if (!detail::is_literal(word) || !detail::is_literal(pattern)) return shell_truth::unknown;
  const bool stands = pattern.text.find_first_of("*?[\\") != pattern.text.npos;
  if (!stands) return detail::truth_of(word.text == pattern.text);
  if (pattern.quoting != shell_quoting::none ||
      pattern.text.find_first_of("[\\") != pattern.text.npos)
    return shell_truth::unknown;
  return detail::truth_of(detail::matches_pattern(word.text, pattern.text));
}

namespace detail {

enum class right_side { text, pattern };  ///< of == in [, and in [[

/// A test without connectives: a word alone, -z or -n and a word, or two words and what is between.
inline shell_truth truth_of_one(std::span<const shell_word> words, right_side right) {
  bool inverted = false;
  for (; words.size() > 1 && is_bare(words.front(), "!"); words = words.subspan(1))
    inverted = !inverted;
  shell_truth found = shell_truth::unknown;
  if (words.size() == 1 && is_literal(words[0])) {
    found = truth_of(!words[0].text.empty());
  } else if (words.size() == 2 && is_literal(words[1])) {
    if (is_bare(words[0], "-z")) found = truth_of(words[1].text.empty());
    if (is_bare(words[0], "-n")) found = truth_of(!words[1].text.empty());
  } else if (words.size() == 3 && is_literal(words[0]) && is_literal(words[2])) {
    const bool equal = is_bare(words[1], "=") || is_bare(words[1], "==");
    if (equal || is_bare(words[1], "!=")) {
      found = right == right_side::pattern ? truth_of_pattern(words[0], words[2])
                                           : truth_of(words[0].text == words[2].text);
      if (!equal) found = negated(found);
    }
    const auto one = integer_of(words[0]), other = integer_of(words[2]);
    for (const auto& row : comparisons)
      if (one && other && is_bare(words[1], row.name))
        found = truth_of(holds(row.value, *one, *other));
  }
  return inverted ? negated(found) : found;
}

}  // namespace detail

/// Whether a word is ((...)), which computes, and tests whether that is not 0.
inline bool is_shell_sum(const shell_word& word) {
  return !word.is_operator && word.quoting == shell_quoting::none && word.text.size() >= 4 &&
         word.text.starts_with("((") && word.text.ends_with("))");
}

/// Whether a command that begins with a word tests something.
inline bool is_shell_test(const shell_word& word) {
  for (const char* name : {"[", "[[", "test", "true", "false", ":"})
    if (detail::is_bare(word, name)) return true;
  return false;
}

/// Whether a test holds: a command for which is_shell_test is true, with its variables put in.
/// Unknown of files, of words that are left to the shell, and of what is not read.
inline shell_truth truth_of_test(std::span<const shell_word> words) {
  using detail::is_bare;
  const bool doubled = is_bare(words.front(), "[[");
  const bool bracket = doubled || is_bare(words.front(), "[");
  if (is_bare(words.front(), "true") || is_bare(words.front(), ":")) return shell_truth::yes;
  if (is_bare(words.front(), "false")) return shell_truth::no;
  if (bracket && !is_bare(words.back(), doubled ? "]]" : "]")) return shell_truth::unknown;
  words = words.subspan(1, words.size() - (bracket ? 2 : 1));
  for (const shell_word& word : words)
    if (word.is_operator && !word.is("&&") && !word.is("||")) return shell_truth::unknown;

  const auto right = doubled ? detail::right_side::pattern : detail::right_side::text;
  auto any = shell_truth::no;
  auto all = shell_truth::yes;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= words.size(); ++i) {
    const bool ends = i == words.size();
    const bool joins = !ends && i > begin && (words[i].is("&&") || is_bare(words[i], "-a"));
    const bool parts = !ends && i > begin && (words[i].is("||") || is_bare(words[i], "-o"));
    if (!ends && !joins && !parts) continue;
    all = both(all, detail::truth_of_one(words.subspan(begin, i - begin), right));
    begin = i + 1;
    if (joins) continue;
    any = either(any, all);
    all = shell_truth::yes;
  }
  return any;
}

}  // namespace gpuplan
