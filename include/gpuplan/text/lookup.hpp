#pragma once
/// \file
/// Names as people type them: found by their letters and numbers alone, in either case, and the
/// closest ones where there is none.  Nothing allocates.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace gpuplan {

/// A name as compared: its letters, made small, its digits, points between digits (1.3b is not
/// 13b), a sign before the first (-1 is not 1), and zero bytes, which no name has.
class folded_name {
 public:
  static constexpr std::size_t capacity = 64;

  constexpr explicit folded_name(std::string_view typed) {
    const auto is_digit = [&](std::size_t i) {
      return i < typed.size() && typed[i] >= '0' && typed[i] <= '9';
    };
    for (std::size_t i = 0; i < typed.size(); ++i) {
      const char c = typed[i];
      const char small = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
      const bool is_point = c == '.' && i > 0 && is_digit(i - 1) && is_digit(i + 1);
      const bool is_sign = c == '-' && i == 0 && is_digit(1);
      if (!(small >= 'a' && small <= 'z') && !is_digit(i) && !is_point && !is_sign && c != '\0')
        continue;
      if (length_ < capacity) letters_[length_] = small;
      ++length_;
    }
  }

  /// Its letters; those past `capacity` are cut off.
  [[nodiscard]] constexpr std::string_view text() const {
    return {letters_.data(), std::min(length_, capacity)};
  }
  [[nodiscard]] constexpr bool cut_off() const { return length_ > capacity; }

  friend constexpr bool operator==(const folded_name& a, const folded_name& b) {
    return a.length_ > 0 && a.length_ == b.length_ && !a.cut_off() && a.text() == b.text();
  }

 private:
  std::array<char, capacity> letters_{};
  std::size_t length_ = 0;
};

/// Whether two names have the same letters and numbers, whatever their case.  A name without any is
/// the same as none.
constexpr bool same_name(std::string_view a, std::string_view b) {
  return folded_name{a} == folded_name{b};
}

/// A name and what it stands for.  Of several names of one value, the first is the one to print.
template <class T>
struct named {
  std::string_view name;
  T value{};
};

/// The name to print for a value, or "unknown" for one that the table lacks.
template <class Table, class T>
constexpr std::string_view spelled(const Table& table, T value) {
  for (const auto& row : table)
    if (row.value == value) return row.name;
  return "unknown";
}

/// The values of a table, in its order.
template <class T, std::size_t size>
constexpr std::array<T, size> values_of(const std::array<named<T>, size>& table) {
  std::array<T, size> values{};
  for (std::size_t i = 0; i < size; ++i) values[i] = table[i].value;
  return values;
}

/// The row whose name has the letters and digits that were typed, in either case; nullptr if none.
template <class Table>
constexpr auto find_spelling(std::string_view typed, const Table& table)
    -> decltype(&*table.begin()) {
  for (const auto& row : table)
    if (same_name(row.name, typed)) return &row;
  return nullptr;
}

/// How many letters must be put in, left out or changed to make one folded name of the other.
///
///     D(i, j) = min(D(i-1, j) + 1, D(i, j-1) + 1, D(i-1, j-1) + (a_i != b_j))
///
/// Source: R. Wagner and M. Fischer, "The String-to-String Correction Problem", J. ACM 21 (1974)
/// 168-173.
constexpr std::size_t edit_distance(const folded_name& a, const folded_name& b) {
  std::array<std::size_t, folded_name::capacity + 1> row{};
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  const std::string_view from = a.text();
  const std::string_view to = b.text();
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t changed = diagonal + (from[i - 1] != to[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[to.size()];
}

/// Up to N names, best first.
template <std::size_t N>
struct suggestions {
  std::array<std::string_view, N> names{};
  std::size_t size = 0;
  [[nodiscard]] constexpr auto begin() const { return names.begin(); }
  [[nodiscard]] constexpr auto end() const {
    return names.begin() + static_cast<std::ptrdiff_t>(size);
  }
  [[nodiscard]] constexpr bool empty() const { return size == 0; }
};

/// The names of a table that somebody who typed `typed` may have meant: first those that begin
/// with it, then those that contain it, then those at an edit distance of at most a third of its
/// letters.  Equals keep the order of the table.  `entries` is a range of rows with a `name`.
template <std::size_t N = 4, class Entries>
constexpr suggestions<N> closest_names(std::string_view typed, const Entries& entries) {
  const folded_name wanted{typed};
  const std::string_view letters = wanted.text();
  suggestions<N> best;
  std::array<std::size_t, N> ranks{};
  if (letters.empty()) return best;
  for (const auto& entry : entries) {
    const folded_name name{entry.name};
    const std::size_t distance = edit_distance(wanted, name);
    std::size_t rank = 2 + distance;
    if (name.text().starts_with(letters))
      rank = 0;
    else if (name.text().find(letters) != std::string_view::npos)
      rank = 1;
    else if (distance > letters.size() / 3)
      continue;
    std::size_t place = best.size;
    while (place > 0 && rank < ranks[place - 1]) --place;
    if (place == N) continue;
    if (best.size < N) ++best.size;
    for (std::size_t i = best.size - 1; i > place; --i) {
      best.names[i] = best.names[i - 1];
      ranks[i] = ranks[i - 1];
    }
    best.names[place] = entry.name;
    ranks[place] = rank;
  }
  return best;
}

/// Another name for the entry called `meant`.
struct alias {
  std::string_view name;
  std::string_view meant;
};

/// The entry of a table that is called `typed`, or that an alias of that name means; nullptr if
/// there is none.  `entries` is a contiguous range of rows with a `name`.
template <class Entries, class Aliases>
constexpr auto find_named(std::string_view typed, const Entries& entries, const Aliases& aliases)
    -> decltype(&*entries.begin()) {
  for (const auto& entry : entries)
    if (same_name(entry.name, typed)) return &entry;
  for (const alias& other : aliases)
    if (same_name(other.name, typed)) return find_named(other.meant, entries, aliases);
  return nullptr;
}

}  // namespace gpuplan
