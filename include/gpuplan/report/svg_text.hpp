#pragma once
/// \file
/// Text in a picture: escaped for HTML and SVG, and how wide it is.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/text/visible.hpp>

namespace gpuplan {

/// The text with its markup taken for letters: < > & and both quotes as entities, tabs and ends of
/// lines as blanks, and U+FFFD in the place of bytes that are no UTF-8 and of characters that are
/// not seen.  It can neither end an element or an attribute, nor turn the text beside it around.
inline std::string escaped(std::string_view text) {
  constexpr std::string_view replacement = "\xEF\xBF\xBD";
  std::string safe;
  while (!text.empty()) {
    const utf8_character next = first_character(text);
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
      default: safe += next.size == 0 || is_hidden(next.code) ? replacement : text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return safe;
}

/// Widths of the printable characters of ASCII, from the blank on, in thousandths of the size of
/// the text: those of DejaVu Sans, which is among the widest fonts that browsers take for
/// sans-serif, so that a text is seldom wider than it is said to be.
///
/// Source: The DejaVu fonts team, "DejaVu Sans", version 2.37 (2016), table hmtx, rounded up.
inline constexpr std::array sans_widths{
    318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361,  318, 337, 637, 637, 637,
    637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 531, 1000, 685, 687, 699, 771, 632,
    576, 775, 752, 295, 295, 656, 558, 863, 749, 788, 604, 788, 695, 635,  611, 732, 685, 989, 686,
    611, 686, 391, 337, 391, 838, 500, 500, 613, 635, 550, 635, 616, 353,  635, 634, 278, 278, 580,
    278, 975, 634, 612, 635, 635, 412, 521, 393, 634, 592, 818, 592, 592,  525, 637, 337, 637, 838};

/// The width of a text of UTF-8 in the unit of its size.  What is no ASCII counts as wide as it is
/// high: Chinese and Japanese characters are, others are narrower.
///
/// \throws invalid_input if size < 0
constexpr double text_width(std::string_view text, double size) {
  require(size >= 0, "text_width: size must be >= 0");
  int thousandths = 0;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code >= 0x20 && code < 0x20 + sans_widths.size())
      thousandths += sans_widths[code - 0x20u];
    else if ((code & 0xC0) != 0x80)
      thousandths += 1000;
  }
  return size * thousandths / 1000;
}

/// The text, or as much of its beginning as fits with three dots behind it.
///
/// \throws invalid_input if size < 0
inline std::string shortened(std::string_view text, double size, double width) {
  if (text_width(text, size) <= width) return std::string(text);
  constexpr std::string_view dots = "...";
  std::size_t end = 0;
  for (std::size_t next = 0; next < text.size(); end = next) {
    do ++next;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0) == 0x80);
    if (text_width(text.substr(0, next), size) + text_width(dots, size) > width) break;
  }
  std::string cut{text.substr(0, end)};
  while (!cut.empty() && cut.back() == ' ') cut.pop_back();
  return cut + std::string(dots);
}

/// The text in lines between blanks, none wider than `width`: a word that is wider is shortened.
///
/// \throws invalid_input if size < 0
inline std::vector<std::string> wrapped(std::string_view text, double size, double width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = (std::min)(text.find(' '), text.size());
    const std::string word = shortened(text.substr(0, end), size, width);
    text.remove_prefix((std::min)(end + 1, text.size()));
    if (word.empty()) continue;
    if (lines.empty() || text_width(lines.back() + ' ' + word, size) > width)
      lines.push_back(word);
    else
      lines.back() += ' ' + word;
  }
  return lines;
}

}  // namespace gpuplan
