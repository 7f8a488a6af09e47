#include <gpuplan/text/json_pickle.hpp>

#include <string>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace std::string_literals;

// What pickle.dumps of Python 3.11 makes, in protocols 2 and 4, of
//     s = ["x"]
//     {"a": [1, -2, 300, 70000, 2**40, -2**40, 1.5, nan, True, False, None, 'e"x'],
//      "t": ((), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)), 5: {}, "s": [s, s]}
// with an accent on the e.
const std::string protocol_2 =
    "\200\002}q\000(X\001\000\000\000aq\001]q\002(K\001J\376\377\377\377M,\001Jp\021"
    "\001\000\212\006\000\000\000\000\000\001\212\006\000\000\000\000\000\377G\077\370"
    "\000\000\000\000\000\000G\177\370\000\000\000\000\000\000\210\211NX\004\000\000"
    "\000\303\251\042xq\003eX\001\000\000\000tq\004()K\001\205q\005K\001K\002\206q\006"
    "K\001K\002K\003\207q\007(K\001K\002K\003K\004tq\010tq\011K\005}q\012X\001\000\000"
    "\000sq\013]q\014(]q\015X\001\000\000\000xq\016ah\015eu."s;
const std::string protocol_4 =
    "\200\004\225\202\000\000\000\000\000\000\000}\224(\214\001a\224]\224(K\001J\376"
    "\377\377\377M,\001Jp\021\001\000\212\006\000\000\000\000\000\001\212\006\000\000"
    "\000\000\000\377G\077\370\000\000\000\000\000\000G\177\370\000\000\000\000\000\000"
    "\210\211N\214\004\303\251\042x\224e\214\001t\224()K\001\205\224K\001K\002\206\224"
    "K\001K\002K\003\207\224(K\001K\002K\003K\004t\224t\224K\005}\224\214\001s\224]\224"
    "(]\224\214\001x\224ah\015eu."s;

std::string refusal_of(const std::string& bytes, std::size_t longest = 1000) {
  try {
    static_cast<void>(json_of_pickle(bytes, "f", {.longest = longest}));
  } catch (const invalid_input& error) {
    return error.what();
  }
  return {};
}

TEST_CASE("plain data is what Python would write as JSON", "[text][reference]") {
  const char* const json =
      "{\"a\":[1,-2,300,70000,1099511627776,-1099511627776,1.5,null,true,false,null,"
      "\"\u00e9\\\"x\"],"
      "\"t\":[[],[1],[1,2],[1,2,3],[1,2,3,4]],\"5\":{},\"s\":[[\"x\"],[\"x\"]]}";
  CHECK(json_of_pickle(protocol_2, "f") == json);
  CHECK(json_of_pickle(protocol_4, "f") == json);
  CHECK(json_of_pickle("\x80\2\x8a\0."s, "f") == "0");
  CHECK(json_of_pickle("\x80\2\x8a\1\xff."s, "f") == "-1");
  CHECK(json_of_pickle("\x80\2\x8a\x8\xff\xff\xff\xff\xff\xff\xff\x7f."s, "f") ==
        "9223372036854775807");
}

TEST_CASE("dicts of a key that several lists hold are written once", "[text]") {
  // f = {"n": "f"}, g = {"n": "g"}:
  // [{"frames": [f, g]}, {"frames": [g, f, 5]}, {"other": [f]}, {"frames": g}]
  const std::string shared =
      "\200\004\225O\000\000\000\000\000\000\000]\224(}\224\214\006frames\224]"
      "\224(}\224\214\001n\224\214\001f\224s}\224h\005\214\001g\224ses}\224h\002"
      "]\224(h\007h\004K\005es}\224\214\005other\224]\224h\004as}\224h\002h\007"
      "se."s;
  CHECK(json_of_pickle(shared, "f", {.numbered = "frames"}) ==
        R"([{"frames":[{"#":0,"n":"f"},{"#":1,"n":"g"}]},{"frames":[1,0,5]},)"
        R"({"other":[{"n":"f"}]},{"frames":{"n":"g"}}])");
  CHECK(json_of_pickle(shared, "f") ==
        R"([{"frames":[{"n":"f"},{"n":"g"}]},{"frames":[{"n":"g"},{"n":"f"},5]},)"
        R"({"other":[{"n":"f"}]},{"frames":{"n":"g"}}])");
}

TEST_CASE("every pickle that is cut short is refused", "[text][errors]") {
  for (const std::string& whole : {protocol_2, protocol_4})
    for (std::size_t size = 0; size < whole.size(); ++size) {
      CAPTURE(size);
      CHECK(refusal_of(whole.substr(0, size)).starts_with("f: "));
    }
}

TEST_CASE("what makes an object is refused before it is made", "[text][errors]") {
  const std::string range =
      "\x80\4\x95 \0\0\0\0\0\0\0\x8c\bbuiltins\x94\x8c\5range\x94\x93\x94K\0K\3K\1\x87\x94R\x94."s;
  CHECK(refusal_of(range) ==
        "f: byte 31 of the pickle makes an object of Python; of a pickle only numbers, texts, "
        "lists, tuples and dicts are read");
  CHECK(refusal_of("\x80\4cos\nsystem\n."s).find("byte 3 ") != std::string::npos);
}

TEST_CASE("instructions that find nothing are refused", "[text][errors]") {
  CHECK(refusal_of("{}") == "f: is no pickle of protocol 2 to 5");
  CHECK(refusal_of("\x80\6."s) == "f: is no pickle of protocol 2 to 5");
  for (const std::string& faulty :
       {"."s, "(."s, "e."s, "u."s, "t."s, "K\1a."s, "}K\1a."s, "]K\1K\1s."s, "}(K\1u."s, "\x85."s,
        "h\0."s, "\x94."s, "N(\x85."s, "\x8a\x9\0\0\0\0\0\0\0\0\1."s, "}NNs."s}) {
    CAPTURE(faulty);
    CHECK(refusal_of("\x80\2" + faulty).starts_with("f: "));
  }
  CHECK(refusal_of("\x80\2\x8b\0\4\0\0."s) ==
        "f: byte 3 of the pickle is a number of more than 64 bits");
  CHECK(refusal_of("\x80\2Nr\xff\xff\xff\xff."s) ==
        "f: byte 8 of the pickle keeps what there is not");
}

TEST_CASE("a pickle has at most 2^26 values", "[text][limits][.slow]") {
  for (const char each : {'N', '('}) {
    std::string many = "\x80\2";
    many.append((std::size_t{1} << 26) + 1, each);
    CHECK(refusal_of(many) == "f: is a pickle of more than 67108864 values");
  }
}

TEST_CASE("what would be endless as JSON is refused", "[text][limits]") {
  // A list that holds itself.
  CHECK(refusal_of("\x80\2]q\0h\0a."s) == "f: is a pickle of lists nested more than 100 deep");
  // Each list holds the last one twice.
  std::string doubled = "\x80\2]"s;
  for (int i = 0; i < 40; ++i) doubled += "q\0]h\0ah\0a"s;
  CHECK(refusal_of(doubled + '.', std::size_t{1} << 20) ==
        "f: is a pickle of more than 1 MiB as JSON; write less into it");
}

}  // namespace
}  // namespace gpuplan
