#include <gpuplan/registry/evaluation.hpp>

#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/registry/registry.hpp>
#include <gpuplan/registry/search.hpp>
#include <gpuplan/require.hpp>

#include "registry/post.hpp"
#include "support/catch.hpp"

namespace gpuplan::registry {
namespace {

evaluation sent(std::initializer_list<assignment> given) {
  return evaluate(sending, std::span<const assignment>{given.begin(), given.size()});
}

std::string refusal_of(std::initializer_list<assignment> given) {
  try {
    sent(given);
  } catch (const invalid_input& refusal) {
    return refusal.what();
  }
  return "";
}

TEST_CASE("a row is worked out for inputs in any order", "[registry]") {
  const evaluation answer = sent({{"W", "1GB/s"},
                                  {"second", "3s"},
                                  {"first", "-1s"},
                                  {"message", "2GB"},
                                  {"way", "0.5"},
                                  {"M", "3"}});
  CHECK(answer.value == 6);
  CHECK(answer.row == &sending);
  CHECK(answer.given().size() == 6);
  CHECK(answer.given()[3] == 1e9);
}

TEST_CASE("what cannot be worked out is refused in one line", "[registry]") {
  const auto says = [](const std::string& refusal, std::string_view words) {
    INFO(refusal);
    CHECK(refusal.starts_with("send: "));
    CHECK(refusal.find(words) != refusal.npos);
    CHECK(refusal.find('\n') == refusal.npos);
  };
  says(refusal_of({}), "needs message (m), mail_bags (M), variation_of_the_way (c_a^2)");
  says(refusal_of({{"m", "1B"}, {"M", "1"}, {"way", "0"}, {"W", "1B/s"}, {"first", "0"}}),
       "needs time_of_the_second (t_2) too");
  says(refusal_of({{"m", "1B"}, {"message", "1B"}}), "message (m) is given twice");
  says(refusal_of({{"time", "1s"}}), "may be time_of_the_first (t_1) and time_of_the_second (t_2)");
  says(refusal_of({{"zip", "1"}}), "has no input 'zip'; it takes message (m)");
  says(refusal_of({{"m", "1"}}), "message (m): '1' has no unit");
  const auto outside = [](std::string_view mails, std::string_view way, std::string_view second) {
    return refusal_of({{"m", "1B"},
                       {"M", mails},
                       {"way", way},
                       {"W", "1B/s"},
                       {"first", "2s"},
                       {"second", second}});
  };
  CHECK(outside("3", "2", "2s").empty());
  says(outside("11", "0", "2s"), "mail_bags (M) must be from 1 to 10");
  says(outside("3", "3", "2s"), "variation_of_the_way (c_a^2) must be >= 0, < M");
  says(outside("3", "2", "1s"), "time_of_the_second (t_2) must be >= t_1 s");
  const double negative[]{-1};
  CHECK_THROWS_WITH(evaluate(other_sending, inputs{negative}),
                    "send: has no value for these inputs");
  CHECK_THROWS_AS(evaluate(sending, inputs{negative}), invalid_input);
}

TEST_CASE("counts that no int holds are refused", "[registry]") {
  CHECK(whole(1e9) == 1000000000);
  CHECK(whole(-3) == -3);
  for (const double count : {1.5, 1e9 + 1, -1e10, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS(whole(count), invalid_input);
}

TEST_CASE("a size that a row multiplies is refused by its own range", "[registry][errors]") {
  const auto why = [](std::string_view name, std::vector<assignment> given) -> std::string {
    const auto rows = rows_called(tables, name);
    if (rows.size() != 1) return "no such row";
    try {
      static_cast<void>(evaluate(*rows.front(), given));
    } catch (const invalid_input& refusal) {
      return refusal.what();
    }
    return {};
  };
  CHECK_THAT(why("parameters_of_layer", {{"hidden_size", "1e9"}, {"heads", "1"}}),
             ContainsSubstring("hidden_size (h) must be from 1 to 2.5e8"));
  CHECK(why("parameters_of_layer", {{"hidden_size", "2e8"}, {"heads", "1"}}).empty());
  CHECK_THAT(why("effective_speed", {{"T_1", "2/s"}, {"T_2", "1/s"}, {"X_1", "5"}, {"X_2", "3"}}),
             ContainsSubstring("must be from 0 to 1"));
  CHECK_THAT(
      why("effective_speed", {{"T_1", "2/s"}, {"T_2", "1/s"}, {"X_1", "0.7"}, {"X_2", "0.7"}}),
      ContainsSubstring("must sum to <= 1"));
  CHECK_THAT(why("with_adapters", {{"T", "1000"}, {"h", "4096"}, {"f", "16384"}, {"r", "1e9"}}),
             ContainsSubstring("must be from 1 to h"));
}

}  // namespace
}  // namespace gpuplan::registry
