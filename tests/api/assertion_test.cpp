#include <gpuplan/api/assertion.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace gpuplan::api {
namespace {

const report_json some_answer{{"mfu", 0.4},
                              {"step_time_s", 2.0},
                              {"total_bytes", 2e9},
                              {"fits", true},
                              {"binding", "compute"},
                              {"nothing", nullptr},
                              {"memory", {{"stages", {{{"total_bytes", 5.0}}, 7}}}}};

bool holds_of_answer(const std::string& text) {
  return check_assertion(text, some_answer).holds;
}

std::string refusal(const std::string& text) {
  return testing::refusal_by([&] { check_assertion(text, some_answer); });
}

TEST_CASE("numbers are compared in the unit of their key", "[api]") {
  CHECK(holds_of_answer("mfu >= 0.4"));
  CHECK(holds_of_answer("mfu <= 0.4"));
  CHECK(holds_of_answer(" mfu==0.4 "));
  CHECK_FALSE(holds_of_answer("mfu > 0.4"));
  CHECK_FALSE(holds_of_answer("mfu < 0.4"));
  CHECK_FALSE(holds_of_answer("mfu != 0.4"));
  CHECK(holds_of_answer("mfu != 0.5"));
  CHECK(holds_of_answer("step_time_s < 3s"));
  CHECK(holds_of_answer("total_bytes >= 2GB"));
  CHECK(holds_of_answer("mfu < 1k"));
  CHECK(holds_of_answer("mfu < 41%"));
  CHECK_FALSE(holds_of_answer("mfu > 40.5%"));
  CHECK(check_assertion("mfu > 1", some_answer).found == "0.4");
}

TEST_CASE("words, flags and nulls are compared, too", "[api]") {
  CHECK(holds_of_answer("fits == true"));
  CHECK(holds_of_answer("binding == compute"));
  CHECK(holds_of_answer("binding != memory"));
  CHECK(holds_of_answer("nothing == null"));
  CHECK_FALSE(holds_of_answer("nothing != null"));
  CHECK_FALSE(holds_of_answer("nothing > 1"));
  CHECK_FALSE(holds_of_answer("mfu == null"));
  CHECK(check_assertion("nothing > 1", some_answer).found == "null: unknown or unbounded");
}

TEST_CASE("a path goes through objects and arrays", "[api]") {
  CHECK(holds_of_answer("memory.stages[0].total_bytes == 5B"));
  CHECK(holds_of_answer("memory.stages[1] == 7"));
  CHECK(refusal("memory.stages[2] == 7") ==
        "--assert: the answer has no '[2]' of 'memory.stages[2]'");
  CHECK(refusal("memory.stage == 7").find("did you mean stages?") != std::string::npos);
  CHECK(refusal("memory.stage == 7").ends_with("; there are stages"));
  CHECK(refusal("memory[0] == 7").starts_with("--assert: the answer has no '[0]' of "));
  CHECK(refusal("memory == 7") == "--assert: memory is an object, which has no value");
  CHECK(refusal("memory.stages == 7") == "--assert: memory.stages is an array, which has no value");
  for (const char* path : {"memory.", ".memory", "memory[x]", "memory[0", "memory[0]stages"})
    CHECK(refusal(std::string(path) + " == 7") ==
          std::string("--assert: '") + path +
              "' is no path of keys, such as memory.stages[0].total_bytes");
}

TEST_CASE("what is no comparison is refused, whatever the answer", "[api]") {
  const auto required = [](const char* text) {
    return testing::refusal_by([&] { require_assertion(text); });
  };
  CHECK(required("mfu > 0.4") == "nothing");
  CHECK(required("mfu == word") == "nothing");
  for (const char* text : {"mfu", "mfu >", "> 1", "mfu = 1", "mfu ! 1", ""})
    CHECK(required(text).starts_with(std::string("--assert: '") + text + "' must be KEY OP VALUE"));
  CHECK(required("mfu > word") ==
        "--assert: 'word' is no number to compare mfu with; words are compared by == and !=");
  CHECK(required("step_time_s > -2 GB") ==
        "--assert: '-2 GB' is no number to compare step_time_s with; give the plain number, in the "
        "unit of the field");
  // Whether there is such a key comes first, and only the answer tells.
  CHECK(required("bogus < 10min") == "nothing");
  CHECK(refusal("bogus < 10min").starts_with("--assert: the answer has no 'bogus'"));
  CHECK(refusal("mfu < 10min").starts_with("--assert: '10min' is no number to compare mfu with"));
  CHECK(required("mfu > h100").find("words are compared") != std::string::npos);
  CHECK(required("mfu > inf").find("is no number") != std::string::npos);
  CHECK(refusal("mfu == word") == "--assert: 'word' is no number to compare mfu with");
  CHECK(refusal("binding > 1") == "--assert: binding can only be compared by == and !=");
}

TEST_CASE("each comparison that fails is said", "[api]") {
  std::vector<std::string> said;
  const auto say = [&](const std::string& line) { said.push_back(line); };
  CHECK(all_hold({"mfu > 0.1", "fits == true"}, some_answer, say));
  CHECK(said.empty());
  CHECK_FALSE(all_hold({"mfu > 1", "fits == true", "fits == false"}, some_answer, say));
  CHECK(said == std::vector<std::string>{"--assert failed: mfu > 1 (it is 0.4)",
                                         "--assert failed: fits == false (it is true)"});
}

}  // namespace
}  // namespace gpuplan::api
