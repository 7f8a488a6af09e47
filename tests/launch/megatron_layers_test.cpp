#include <gpuplan/launch/megatron_layers.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

TEST_CASE("layers are written out and counted", "[launch]") {
  CHECK(written_out("([0]*3+[1]*2)") == "00011");
  CHECK(layers_of_pieces("Et*2|(tt|)*2tmL") == std::vector{2, 2, 2, 1});
  CHECK(balanced_ends(30, 4, true, true) == std::vector{7, 8, 8, 7});
  CHECK(given_ends(12, 4, 2, 2) == std::vector{2, 4, 4, 2});
}

TEST_CASE("dense layers come first, or alternate with those of experts", "[launch]") {
  CHECK(first_dense_layers("000111") == 3);
  CHECK(first_dense_layers("0111") == 1);
  CHECK(first_dense_layers("0101") == 0);
  CHECK(first_dense_layers("0000") == 4);
  CHECK(first_dense_layers("0110101") == 1);  // even by no number
  CHECK(first_dense_layers("") == 0);
}

TEST_CASE("layers that do not fit are refused", "[launch]") {
  CHECK_THROWS_WITH(written_out("t*999999999999"),
                    "\"t*999999999999\" stands for more than 65536 layers");
  CHECK_THROWS_WITH(written_out("((t)*9999)*9999"), Catch::Matchers::Contains("more than 65536"));
  CHECK_THROWS_WITH(written_out("t)"), "a bracket too many in \"t)\"");
  CHECK_THROWS_WITH(written_out("(t"), "a bracket is not closed in \"(t\"");
  CHECK_THROWS_AS(balanced_ends(31, 4, true, true), invalid_input);
  CHECK_THROWS_AS(given_ends(12, 4, 2, 3), invalid_input);
  CHECK_THROWS_AS(given_ends(3, 4, 2, 2), invalid_input);
}

}  // namespace
}  // namespace gpuplan
