#pragma once
/// \file
/// Escapes text for HTML and SVG, between tags and in quotes.

#include <cstddef>
#include <string>
#include <string_view>

namespace gpuplan {

namespace detail {

/// A character of UTF-8, and how many bytes it takes; none of what is no UTF-8.
struct utf8_character {
  char32_t code = 0;
  std::size_t size = 0;
};

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

}  // namespace detail

/// The text with its markup taken for letters: < > & and both quotes as entities, tabs and ends of
/// lines as blanks, and U+FFFD in the place of bytes that are no UTF-8 and of characters that are
/// not seen.  It can neither end an element or an attribute, nor turn the text beside it around.
inline std::string escaped(std::string_view text) {
  constexpr std::string_view replacement = "\xEF\xBF\xBD";
  std::string safe;
  while (!text.empty()) {
    const detail::utf8_character next = detail::first_character(text);
    const std::size_t size = next.size == 0 ? 1 : next.size;
    switch (next.code) {
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '&': safe += "&amp;"; break;
      case '"': safe += "&quot;"; break;
      case '\'': safe += "&#39;"; break;
      case '\t':
      case '\n':
      case '\r': safe += ' '; break;
      default:
        safe += next.size == 0 || detail::is_hidden(next.code) ? replacement : text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return safe;
}

}  // namespace gpuplan
