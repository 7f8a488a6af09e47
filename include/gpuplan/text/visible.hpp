#pragma once
/// \file
/// Text as a terminal may get it, whoever wrote it: characters that are obeyed or not seen as
/// escapes.

#include <cstddef>
#include <string>
#include <string_view>

namespace gpuplan {

/// A character of UTF-8, and how many bytes it takes; none of what is no UTF-8.
struct utf8_character {
  char32_t code = 0;
  std::size_t size = 0;
};

/// The first character of a text that is not empty.
constexpr utf8_character first_character(std::string_view text) {
  const auto byte_at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte_at(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t size = lead >= 0xF0 && lead < 0xF5   ? 4
                           : lead >= 0xE0 && lead < 0xF0 ? 3
                           : lead >= 0xC2 && lead < 0xE0 ? 2
                                                         : 0;
  if (size == 0 || text.size() < size) return {};
  char32_t code = lead & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte_at(i) & 0xC0) != 0x80) return {};
    code = (code << 6) | (byte_at(i) & 0x3Fu);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  if (code < least[size] || surrogate || code > 0x10FFFF) return {};
  return {code, size};
}

/// Marks that turn the order of the text around them, characters that XML has none of, and those
/// that show nothing.
constexpr bool is_hidden(char32_t c) {
  const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
  const bool turns =
      (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x2069);
  return control || turns || c == 0xFEFF || (c & 0xFFFE) == 0xFFFE;
}

/// Characters that stay as they are in a text of several lines.
inline constexpr std::string_view line_characters = "\n\t";

/// The text with its hidden characters as JSON escapes them, and with bytes that are no UTF-8 as x
/// and two digits behind a backslash.  It is one line, unless `kept` has the end of a line.
inline std::string visible(std::string_view text, std::string_view kept = {}) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto append_hexadecimal = [&](std::string& to, unsigned value, unsigned shift) {
    for (; shift > 0; shift -= 4) to += digits[(value >> (shift - 4)) & 15];
  };
  std::string shown;
  while (!text.empty()) {
    const utf8_character next = first_character(text);
    const std::size_t size = next.size == 0 ? 1 : next.size;
    const std::string_view as_it_is = text.substr(0, size);
    text.remove_prefix(size);
    if (next.size == 0) {
      shown += "\\x";
      append_hexadecimal(shown, static_cast<unsigned char>(as_it_is[0]), 8);
    } else if (next.code > 0xFFFF || !is_hidden(next.code) ||
               kept.find(as_it_is) != std::string_view::npos) {
      shown += as_it_is;
    } else if (next.code == '\n') {
      shown += "\\n";
    } else if (next.code == '\t') {
      shown += "\\t";
    } else {
      shown += "\\u";
      append_hexadecimal(shown, static_cast<unsigned>(next.code), 16);
    }
  }
  return shown;
}

}  // namespace gpuplan
