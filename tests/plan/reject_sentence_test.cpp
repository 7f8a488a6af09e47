#include <gpuplan/plan/reject_sentence.hpp>

#include <string_view>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

static_assert(sentence_of(reject_reason::attention_heads) ==
              "tensor = {0} does not divide the {1} attention heads");
static_assert(sentence_of(reject_reason::host_link) == describe(reject_reason::host_link),
              "without numbers the phrase is enough");

TEST_CASE("sentences have places for numbers and nothing else in braces", "[plan][facts]") {
  for (int i = 1; i < reject_reasons; ++i) {
    const std::string_view sentence = sentence_of(static_cast<reject_reason>(i));
    INFO(sentence);
    REQUIRE_FALSE(sentence.empty());
    CHECK(sentence.back() != '.');
    for (std::size_t place = sentence.find('{'); place != sentence.npos;
         place = sentence.find('{', place + 1)) {
      const std::string_view braces = sentence.substr(place, 3);
      CHECK((braces == "{0}" || braces == "{1}"));
    }
  }
}

}  // namespace
}  // namespace gpuplan
