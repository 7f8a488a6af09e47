#include <gpuplan/api/question_options.hpp>

#include <array>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace gpuplan::api {
namespace {

using nlohmann::json;

struct asked_options {
  std::string kind, name, level;
  std::vector<std::string> all;
  bool front = false;
};

constexpr std::array rows{
    question_option<asked_options>{.names = "KIND", .text = &asked_options::kind},
    question_option<asked_options>{.names = "NAME", .text = &asked_options::name},
    question_option<asked_options>{.names = "--level,--share", .text = &asked_options::level},
    question_option<asked_options>{.names = "ALL,--all", .texts = &asked_options::all},
    question_option<asked_options>{.names = "--front", .flag = &asked_options::front}};

constexpr std::array many_words{
    question_option<asked_options>{.names = "KIND", .text = &asked_options::kind},
    question_option<asked_options>{.names = "WORDS", .texts = &asked_options::all}};

template <class Rows>
asked_options typed(const json& options, const Rows& of) {
  request_words words{"why", forms_of(of)};
  words.add_part("options", options);
  return typed_options<asked_options>(words, of);
}

TEST_CASE("a row has the form of its names and its member", "[api]") {
  CHECK(form_of(rows[0]) == option_form{.positional = "KIND"});
  CHECK(form_of(rows[2]) == option_form{.names = {"level", "share"}});
  CHECK(form_of(rows[3]) ==
        option_form{.names = {"all"}, .positional = "ALL", .takes = option_values::several});
  CHECK(form_of(rows[4]) == option_form{.names = {"front"}, .takes = option_values::none});
  CHECK(forms_of(rows).size() == rows.size());
}

TEST_CASE("what a request gives goes into the members", "[api]") {
  const asked_options given = typed(
      {{"kind", "a"}, {"name", "b"}, {"share", 5}, {"all", {"x", "y"}}, {"front", true}}, rows);
  CHECK(given.kind == "a");
  CHECK(given.name == "b");
  CHECK(given.level == "5");
  CHECK(given.all == std::vector<std::string>{"x", "y"});
  CHECK(given.front);
  const asked_options none = typed({{"front", false}}, rows);
  CHECK(none.kind.empty());
  CHECK(none.all.empty());
  CHECK_FALSE(none.front);
}

TEST_CASE("words that stand alone go to the rows in their order", "[api]") {
  CHECK(typed({{"kind", {"a", "b"}}}, rows).name == "b");
  const auto refusal = [](const json& options) {
    return testing::refusal_by([&] { typed(options, rows); });
  };
  CHECK(refusal({{"kind", {"a", "b", "c"}}}) == "The following argument was not expected: c");
  CHECK(refusal({{"kind", {"a", "b", "c", "d"}}}) ==
        "The following arguments were not expected: d c");
  const asked_options many = typed({{"kind", {"a", "b", "c"}}}, many_words);
  CHECK(many.kind == "a");
  CHECK(many.all == std::vector<std::string>{"b", "c"});
}

}  // namespace
}  // namespace gpuplan::api
