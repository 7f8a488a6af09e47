#include <gpuplan/launch/shell_word_kinds.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

TEST_CASE("overrides have a dot, or are of a whole configuration", "[launch]") {
  for (const char* word :
       {"model.n=1", "++model.n=1", "+peft=lora", "mixed_precision=bf16_mixed", "a.b=/x"}) {
    INFO(word);
    CHECK(detail::is_override(word));
  }
  for (const char* word : {"n=1", "model.n", "/a.b=1", "+peft", "-n=1"}) {
    INFO(word);
    CHECK_FALSE(detail::is_override(word));
  }
  CHECK(detail::without_plus("++a=+b") == "a=+b");
  CHECK(detail::without_plus("+a") == "a");
}

TEST_CASE("words before variables and commands are known", "[launch]") {
  CHECK(detail::precedes_variable("export"));
  CHECK_FALSE(detail::precedes_variable("exports"));
  CHECK(detail::is_keyword({.text = "if"}));
  CHECK(detail::is_keyword({.text = "run(){"}));
  CHECK_FALSE(detail::is_keyword({.text = "if", .quoting = shell_quoting::split}));
  CHECK_FALSE(detail::is_keyword({.text = "((1))"}));
}

TEST_CASE("programs are known by their files", "[launch]") {
  for (const char* word : {"/bin/bash", "python3.12", "a/b.py", "torchrun", "x/deepspeed"})
    CHECK(detail::starts_program(word));
  CHECK_FALSE(detail::starts_program("numactl"));
  CHECK(detail::argument_name("--a_b=c_d") == "--a-b");
}

}  // namespace
}  // namespace gpuplan
