#include <gpuplan/text/visible.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

static_assert(first_character("a").code == 'a' && first_character("a").size == 1);
static_assert(first_character("\xc3\xa9").code == 0xE9 && first_character("\xc3\xa9").size == 2);
static_assert(first_character("\xf0\x9f\x98\x80").code == 0x1F600);
static_assert(first_character("\xc0\x80").size == 0, "longer than it need be");
static_assert(first_character("\xed\xa0\x80").size == 0, "half of a pair");
static_assert(first_character("\xc3").size == 0, "cut off");
static_assert(is_hidden(0x1B) && is_hidden(0x7F) && is_hidden(0x9B) && is_hidden(0x202E));
static_assert(!is_hidden(' ') && !is_hidden(0xE9) && !is_hidden(0x1F600));

/// Whether what is hidden from `first` to `last` ends there on both sides.
constexpr bool hides_just(char32_t first, char32_t last) {
  return !is_hidden(first - 1) && is_hidden(first) && is_hidden(last) && !is_hidden(last + 1);
}
// Unicode 15.0: format characters and separators of its table General_Category.
static_assert(is_hidden(0) && is_hidden(0x1F) && hides_just(0x7F, 0x9F));
static_assert(hides_just(0x200B, 0x200F) && hides_just(0x2028, 0x202E));
static_assert(hides_just(0x2060, 0x2069) && hides_just(0xFEFF, 0xFEFF));
static_assert(hides_just(0xFFFE, 0xFFFF));

TEST_CASE("what a terminal would obey is shown as an escape", "[text]") {
  CHECK(visible("caf\xc3\xa9.json \xf0\x9f\x98\x80") == "caf\xc3\xa9.json \xf0\x9f\x98\x80");
  CHECK(visible("a\nb\tc\r") == "a\\nb\\tc\\u000d");
  CHECK(visible("\x1b[31mred\x1b[0m\a\x7f") == "\\u001b[31mred\\u001b[0m\\u0007\\u007f");
  CHECK(visible("\xc2\x9b"
                "2J") == "\\u009b2J");
  CHECK(visible("\xe2\x80\xae") == "\\u202e");
  CHECK(visible("\xff\xfe/x") == "\\xff\\xfe/x");
  CHECK(visible(std::string_view{"\0", 1}) == "\\u0000");
}

TEST_CASE("lines of a text stay lines where they are kept", "[text]") {
  CHECK(visible("a\n\tb\x1b[2J\n", line_characters) == "a\n\tb\\u001b[2J\n");
}

TEST_CASE("nothing hidden is left, and what is visible stays", "[text][property]") {
  testing::check_property("visible", [](const std::string& text) {
    const std::string shown = visible(text);
    for (std::string_view rest = shown; !rest.empty();) {
      const utf8_character next = first_character(rest);
      RC_ASSERT(next.size > 0);
      RC_ASSERT(!is_hidden(next.code) || next.code > 0xFFFF);
      rest.remove_prefix(next.size);
    }
    RC_ASSERT(visible(shown) == shown);
  });
}

}  // namespace
}  // namespace gpuplan
