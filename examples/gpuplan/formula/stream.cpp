/// \file
/// Formulas of standard input.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gpuplan/api/formula_question.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_text.hpp>

#include "formula/formula.hpp"
#include "request_stream.hpp"

namespace gpuplan::cli {
namespace {

struct field_name {
  std::string_view name;
};
constexpr std::array request_fields{field_name{"formula"}, field_name{"inputs"}};

/// A number or a text as one would type it.
std::string typed_text(const nlohmann::json& value, const std::string& name) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number())
    throw invalid_input{"inputs: " + shown_name(name) + " must be a number or a text, not " +
                        shown(value)};
  return value.dump();
}

/// What a refusal of inputs begins with, and where in the request they are.
struct input_place {
  std::string formula{};
  std::string place{"inputs"};
};

report_json answer_to(const nlohmann::json& request, input_place& at) {
  const json_fields fields{request, "request"};
  fields.refuse_unknown(request_fields);
  const registry::formula& row = find_row(fields.text("formula"));
  at.formula = row.name;
  std::vector<std::pair<std::string, std::string>> texts;
  if (fields.has("inputs")) {
    const nlohmann::json& given = request["inputs"];
    if (!given.is_object()) fields.refuse("inputs", "must be an object, not " + shown(given));
    for (const auto& [input, value] : given.items())
      texts.emplace_back(input, typed_text(value, input));
  }
  std::vector<registry::assignment> given;
  for (const auto& [input, value] : texts) given.push_back({input, value});
  try {
    return api::json_of(api::evaluated(row, given));
  } catch (const invalid_input&) {
    if (const std::string input = api::refused_input(row, given); !input.empty())
      at.place += "." + shown_name(input);
    throw;
  }
}

}  // namespace

bool answer_formula_stream() {
  return answer_lines([](std::string_view request, std::int64_t line) {
    input_place at;
    return api::answered_or_refused(
        line,
        [&] {
          return json_object{8}
              .add("line", line)
              .add(answer_to(parse_json(request, "request"), at))
              .take();
        },
        [&](std::string_view name) {
          const bool is_input = !at.formula.empty() && name.starts_with(at.formula) &&
                                (name == at.formula || name[at.formula.size()] == ':');
          return is_input ? at.place : std::string{};
        });
  });
}

}  // namespace gpuplan::cli
