#include <gpuplan/report/svg_text.hpp>

#include "support/catch.hpp"

namespace {

using namespace gpuplan;

// DejaVu Sans 2.37, table hmtx, of 2048 units: space 651, exclamation mark 821, tilde 1716.
static_assert(text_width(" ", 1000) == 318 && text_width("!", 1000) == 401);
static_assert(text_width("~", 1000) == 838, "the last of the table");
static_assert(text_width("\x1f", 1000) == 1000 && text_width("\x7f", 1000) == 1000,
              "what is beside the table is as wide as high");

TEST_CASE("a text is shortened to what its place holds", "[report]") {
  CHECK(shortened("abc", 12, 100) == "abc");
  const std::string less = shortened("a long name of a row", 12, 60);
  CHECK(less.ends_with("..."));
  CHECK(text_width(less, 12) <= 60);
}

}  // namespace
