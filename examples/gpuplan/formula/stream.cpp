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

/// \param name  gets that of the formula, which refusals of inputs begin with
report_json answer_to(const nlohmann::json& request, std::string& name) {
  const json_fields fields{request, "request"};
  fields.refuse_unknown(request_fields);
  const registry::formula& row = find_row(fields.text("formula"));
  name = row.name;
  std::vector<std::pair<std::string, std::string>> texts;
  if (fields.has("inputs")) {
    const nlohmann::json& given = request["inputs"];
    if (!given.is_object()) fields.refuse("inputs", "must be an object, not " + shown(given));
    for (const auto& [input, value] : given.items())
      texts.emplace_back(input, typed_text(value, input));
  }
  std::vector<registry::assignment> given;
  for (const auto& [input, value] : texts) given.push_back({input, value});
  return api::json_of(api::evaluated(row, given));
}

}  // namespace

bool answer_formula_stream() {
  return answer_lines([](std::string_view request, std::int64_t line) {
    std::string formula;
    return api::answered_or_refused(
        line,
        [&] {
          return json_object{8}
              .add("line", line)
              .add(answer_to(parse_json(request, "request"), formula))
              .take();
        },
        [&](std::string_view name) {
          return std::string(!formula.empty() && name == formula ? "inputs" : "");
        });
  });
}

}  // namespace gpuplan::cli
