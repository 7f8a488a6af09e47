#pragma once
/// \file
/// Finds rows of the registry by name, and by words of their text.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/registry/formula.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan::registry {

namespace detail {

/// A header without its suffix: "comm/all_gather".
constexpr std::string_view stem_of(std::string_view header) {
  constexpr std::string_view suffix = ".hpp";
  return header.substr(0, header.size() - (header.ends_with(suffix) ? suffix.size() : 0));
}

/// Whether a header is called so: comm/all_gather.hpp, comm/all_gather, all_gather, or comm.
constexpr bool is_called(std::string_view header, std::string_view typed) {
  const std::string_view stem = stem_of(header);
  const auto slash = stem.find('/');
  return same_name(stem, stem_of(typed)) || same_name(stem.substr(slash + 1), stem_of(typed)) ||
         same_name(stem.substr(0, slash), typed);
}

/// Whether a text holds letters that are all small, whatever their case in the text.
constexpr bool holds_word(std::string_view text, std::string_view small) {
  const auto same = [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  };
  return std::search(text.begin(), text.end(), small.begin(), small.end(), same) != text.end();
}

inline std::string made_small(std::string_view word) {
  std::string small{word};
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

/// Whether one of the topics is this word.
constexpr bool has_topic(std::string_view topics, std::string_view small) {
  while (!topics.empty()) {
    const std::string_view one = topics.substr(0, topics.find(' '));
    if (one.size() == small.size() && holds_word(one, small)) return true;
    topics.remove_prefix(std::min(topics.size(), one.size() + 1));
  }
  return false;
}

/// How well a row answers to one word; 0: not at all.
constexpr int rank_of(const formula& row, std::string_view small) {
  if (same_name(row.name, small)) return 64;
  if (has_topic(row.topics, small)) return 32;
  if (holds_word(row.name, small)) return 16;
  if (holds_word(row.meaning, small)) return 8;
  for (const symbol& one : row.symbols)
    if (holds_word(one.meaning, small) || one.letter == small) return 4;
  if (holds_word(row.header, small)) return 4;
  for (const std::string_view said : {row.text, row.validity, row.source, row.errata})
    if (holds_word(said, small)) return 2;
  return 0;
}

}  // namespace detail

/// Every row, in the order of the tables.
inline std::vector<const formula*> rows_of(std::span<const table> among) {
  std::vector<const formula*> rows;
  for (const table& of : among)
    for (const formula& row : of.rows) rows.push_back(&row);
  return rows;
}

/// The rows of a name, whatever its case and separators.  Where several headers have functions of
/// one name, the header may stand before it, whole or in part: all_gather:cost_of,
/// comm/all_gather.hpp:cost_of, model:parameters_of.
inline std::vector<const formula*> rows_called(std::span<const table> among,
                                               std::string_view typed) {
  const auto colon = typed.rfind(':');
  const bool any_header = colon == typed.npos;
  const std::string_view name = any_header ? typed : typed.substr(colon + 1);
  std::vector<const formula*> rows = rows_of(among);
  std::erase_if(rows, [&](const formula* row) {
    return !same_name(row->name, name) ||
           (!any_header && !detail::is_called(row->header, typed.substr(0, colon)));
  });
  return rows;
}

/// The name by which a row alone is found: with its header where the name has several rows.
inline std::string title_of(std::span<const table> among, const formula& row) {
  if (rows_called(among, row.name).size() == 1) return std::string(row.name);
  return std::string(detail::stem_of(row.header)) + ':' + std::string(row.name);
}

/// The rows that hold every word, best first: in the name, a topic (M10), the meaning, a symbol,
/// the rest.  Equals keep the order of the tables.
inline std::vector<const formula*> search(std::span<const table> among,
                                          std::span<const std::string_view> words) {
  struct found {
    const formula* row;
    int rank;
  };
  std::vector<found> all;
  for (const formula* row : rows_of(among)) {
    int sum = 0;
    for (const std::string_view word : words) {
      const int rank = detail::rank_of(*row, detail::made_small(word));
      sum = rank == 0 ? -1 : sum + rank;
      if (sum < 0) break;
    }
    if (sum > 0) all.push_back({row, sum});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const found& a, const found& b) { return a.rank > b.rank; });
  std::vector<const formula*> rows;
  for (const found& one : all) rows.push_back(one.row);
  return rows;
}

}  // namespace gpuplan::registry
