#include "memory/walk/ledger.hpp"

#include "support/catch.hpp"

namespace gpuplan::testing {
namespace {

using namespace units;

TEST_CASE("a ledger knows its fullest moment and what was alive then", "[memory][walk]") {
  ledger memory;
  ledger::handle first = memory.make("weights", 5 * MB);
  ledger::handle second = memory.make("gate", 2 * MB);
  ledger::handle third = memory.make("gate", 2 * MB);
  memory.release(second);
  ledger::handle late = memory.make("up", 1 * MB);
  CHECK(memory.total() == 8 * MB);
  CHECK(memory.peak() == 9 * MB);
  const std::vector<alive_tensors> then = memory.at_peak();
  REQUIRE(then.size() == 2);
  CHECK(then[0].name == "weights");
  CHECK(then[1].name == "gate");
  CHECK(then[1].count == 2);
  CHECK(then[1].size == 4 * MB);

  ledger::handle higher = memory.make("logits", 3 * MB);
  CHECK(memory.peak() == 11 * MB);
  CHECK(memory.at_peak().size() == 4);
  for (ledger::handle* one : {&first, &third, &late, &higher}) memory.release(*one);
  CHECK(memory.alive() == 0);
  CHECK(memory.total() == bytes{0});
  CHECK(memory.at_peak()[1].name == "logits");
}

TEST_CASE("a ledger frees a tensor once", "[memory][walk][errors]") {
  ledger memory;
  ledger::handle one = memory.make("gate", 2 * MB);
  ledger::handle copy = one;
  memory.release(one);
  CHECK(one == ledger::nothing);
  memory.release(one);
  CHECK_THROWS_AS(memory.release(copy), invalid_input);
}

TEST_CASE("a ledger leaves out a name", "[memory][walk]") {
  ledger memory;
  memory.leave_out("gate");
  ledger::handle gate = memory.make("gate", 2 * MB);
  ledger::handle up = memory.make("up", 1 * MB);
  CHECK(memory.peak() == 1 * MB);
  CHECK(memory.at_peak().size() == 1);
  memory.release(gate);
  memory.release(up);
}

}  // namespace
}  // namespace gpuplan::testing
