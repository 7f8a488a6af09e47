/// \file
/// Requests drawn by number, each read, evaluated and written in this process, for a build under
/// sanitizers.
///
///     requests_fuzz FOLDER FIRST COUNT   the requests FIRST .. FIRST + COUNT - 1
///     requests_fuzz FILE                 the request that a file holds
///
/// A third of the requests are as tests/support/random_request.hpp draws them, a third have fields
/// replaced by what no field expects, and a third are texts with bytes changed. Whatever is asked,
/// there is an answer without NaN or infinity, or a refusal of one line. A request that breaks this,
/// or that a sanitizer stops at, is written to FOLDER, its number printed.

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/api/job_reader.hpp>
#include <gpuplan/api/job_writer.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/report/json.hpp>

#include "support/request_json.hpp"

extern "C" void __sanitizer_set_death_callback(void (*)());

namespace {

using namespace gpuplan;
using nlohmann::json;
using testing::draws;

/// The request at hand, for the moment in which it turns out to be one to keep.
std::uint64_t number = 0;
std::string text;
std::string folder;

void keep() {
  std::fprintf(stderr, "request %llu: %s\n", static_cast<unsigned long long>(number), text.c_str());
  if (folder.empty()) return;
  std::ofstream{folder + "/" + std::to_string(number) + ".json"} << text << '\n';
}

void require_that(bool holds, const char* what, const std::string& found = {}) {
  if (holds) return;
  std::fprintf(stderr, "%s: '%s'\n", what, found.c_str());
  keep();
  std::abort();
}

/// What no field expects, or few do.
json strange_value(draws& any) {
  static const std::array values{json(0),
                                 json(1),
                                 json(2),
                                 json(3),
                                 json(7),
                                 json(31),
                                 json(65535),
                                 json(65536),
                                 json(1'000'000'000),
                                 json(1'000'000'001),
                                 json(2147483647),
                                 json(2147483648LL),
                                 json(9223372036854775807LL),
                                 json(18446744073709551615ULL),
                                 json(-1),
                                 json(-0.0),
                                 json(0.5),
                                 json(1e-300),
                                 json(1e18),
                                 json(1e308),
                                 json(nullptr),
                                 json(true),
                                 json(false),
                                 json(""),
                                 json("x"),
                                 json("bf16"),
                                 json("full"),
                                 json("NaN"),
                                 json::array(),
                                 json::array({1}),
                                 json::array({16, 16}),
                                 json::object(),
                                 json{{"a", 1}},
                                 json(std::string(1, '\0')),
                                 json("\xF0\x9F\x98\x80"),
                                 json(std::string(300, 'a')),
                                 json("adam_8bit"),
                                 json("dualpipe")};
  return any.one_of(values);
}

void replace_field(json& request, draws& any) {
  json* object = &request;
  for (;;) {
    const auto steps = any.between(0, static_cast<int>(object->size()) - 1);
    const auto chosen = std::next(object->begin(), steps);
    if (chosen->is_object() && !chosen->empty() && !any.one_in(16)) {
      object = &*chosen;
      continue;
    }
    if (any.one_in(6))
      object->erase(chosen);
    else
      *chosen = strange_value(any);
    return;
  }
}

void change_bytes(draws& any) {
  static constexpr std::array<std::string_view, 8> pieces{"-",  "e999", "[[[[", "\xC3",
                                                          "\"", "{",    "1",    "\\u"};
  for (int edits = any.between(1, 4); edits > 0 && !text.empty(); --edits) {
    const auto at = static_cast<std::size_t>(any.between(0, static_cast<int>(text.size()) - 1));
    const auto length = static_cast<std::size_t>(any.between(1, 20));
    switch (any.between(0, 3)) {
      case 0: text[at] = static_cast<char>(any.between(0, 255)); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, text.substr(at, length)); break;
      default: text.insert(at, any.one_of(pieces)); break;
    }
  }
}

void draw_text() {
  draws any{number ^ 0x5eed};
  json request = testing::request_json(testing::random_request_of(number), any);
  if (number % 3 == 1)
    for (int edits = any.between(1, 3); edits > 0; --edits)
      if (!request.empty()) replace_field(request, any);
  text = request.dump();
  if (number % 3 == 2) change_bytes(any);
}

void require_finite(const report_json& value) {
  if (value.is_number_float())
    require_that(std::isfinite(value.get<double>()), "an answer must be finite");
  for (const report_json& part : value)
    if (value.is_structured()) require_finite(part);
}

/// Answers the request at hand: whether it was not refused.
bool answered() {
  try {
    const api::job asked = api::parse_job(text);
    const estimate what =
        evaluate(asked.model, asked.pool, asked.recipe, asked.parallelism, asked.workspace);
    const report_json answer = json_of(what);
    require_finite(answer);
    require_that(!answer.dump(-1, ' ', false, report_json::error_handler_t::replace).empty() &&
                     !api::json_of(asked).dump().empty(),
                 "an answer must not be empty");
    return true;
  } catch (const invalid_input& refusal) {
    const std::string why = refusal.what();
    require_that(!why.empty() && why.find('\n') == why.npos, "a refusal must be one line", why);
  } catch (const std::exception& other) {
    require_that(false, "a refusal must be invalid_input", other.what());
  }
  return false;
}

}  // namespace

int main(int count, char** values) {
  __sanitizer_set_death_callback(keep);
  if (count == 2) {
    std::ifstream file{values[1]};
    text.assign(std::istreambuf_iterator<char>{file}, {});
    std::printf("%s: %s\n", values[1], answered() ? "answered" : "refused");
    return 0;
  }
  if (count != 4) return 2;
  folder = values[1];
  const std::uint64_t first = std::strtoull(values[2], nullptr, 10);
  const std::uint64_t end = first + std::strtoull(values[3], nullptr, 10);
  std::uint64_t answers = 0;
  for (number = first; number < end; ++number) {
    draw_text();
    answers += answered() ? 1 : 0;
  }
  std::printf("requests %llu .. %llu: %llu answered, %llu refused\n",
              static_cast<unsigned long long>(first), static_cast<unsigned long long>(end - 1),
              static_cast<unsigned long long>(answers),
              static_cast<unsigned long long>(end - first - answers));
  return 0;
}
