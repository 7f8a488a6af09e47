/// \file
/// --assert.

#include "assertion.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include <gpuplan/text/decimal_number.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/units/parse.hpp>

#include "inputs.hpp"

namespace gpuplan::cli {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

struct comparison {
  std::string_view key;
  std::string_view operation;
  std::string_view value;
};

comparison parts_of(std::string_view text) {
  const auto begin = text.find_first_of("<>=!");
  comparison parts;
  if (begin != text.npos) {
    const bool two = begin + 1 < text.size() && text[begin + 1] == '=';
    parts = {trimmed(text.substr(0, begin)), text.substr(begin, two ? 2 : 1),
             trimmed(text.substr(begin + (two ? 2 : 1)))};
  }
  constexpr std::array known{"<", "<=", ">", ">=", "==", "!="};
  const bool is_known = std::find(known.begin(), known.end(), parts.operation) != known.end();
  if (!is_known || parts.key.empty() || parts.value.empty())
    throw bad_usage{"--assert: '" + std::string(text) +
                    "' must be KEY OP VALUE, as 'mfu >= 0.4'; OP is one of < <= > >= == !="};
  return parts;
}

struct key_name {
  std::string name;
};

[[noreturn]] void no_key(std::string_view key, std::string_view step, const report_json& at) {
  std::vector<key_name> known;
  std::string list;
  if (at.is_object())
    for (const auto& [name, ignored] : at.items()) {
      known.push_back({name});
      list += (list.empty() ? "" : ", ") + name;
    }
  throw bad_usage{"--assert: the answer has no '" + std::string(step) + "' of '" +
                  std::string(key) + "'" + did_you_mean(step, known) +
                  (list.empty() ? "" : "; there are " + list)};
}

/// A step of a path: a key of an object, or "[2]", a place in an array.
struct path_step {
  std::string_view text;
  std::optional<std::size_t> place{};
};

/// "[2]" at the beginning of a text.
std::optional<path_step> place_of(std::string_view text) {
  const auto close = text.find(']');
  if (!text.starts_with('[') || close == text.npos) return std::nullopt;
  const std::string_view digits = text.substr(1, close - 1);
  std::size_t place = 0;
  const auto [last, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), place);
  if (fault != std::errc{} || last != digits.data() + digits.size()) return std::nullopt;
  return path_step{text.substr(0, close + 1), place};
}

/// The steps of KEY[PLACE][PLACE].KEY...
std::vector<path_step> steps_of(std::string_view path) {
  std::vector<path_step> steps;
  for (std::string_view rest = path;;) {
    const std::string_view key = rest.substr(0, rest.find_first_of(".[]"));
    bool is_path = !key.empty();
    steps.push_back({key});
    rest.remove_prefix(key.size());
    while (is_path && rest.starts_with('[')) {
      const std::optional<path_step> place = place_of(rest);
      is_path = place.has_value();
      if (!is_path) break;
      steps.push_back(*place);
      rest.remove_prefix(place->text.size());
    }
    if (is_path && rest.empty()) return steps;
    if (!is_path || !rest.starts_with('.'))
      throw bad_usage{"--assert: '" + std::string(path) +
                      "' is no path of keys, such as memory.stages[0].total_bytes"};
    rest.remove_prefix(1);
  }
}

/// The value under a path.
const report_json& value_at(std::string_view path, const report_json& answer) {
  const report_json* at = &answer;
  for (const path_step& step : steps_of(path)) {
    if (step.place) {
      if (!at->is_array() || *step.place >= at->size()) no_key(path, step.text, *at);
      at = &(*at)[*step.place];
      continue;
    }
    const auto found = at->is_object() ? at->find(std::string(step.text)) : at->end();
    if (found == at->end()) no_key(path, step.text, *at);
    at = &*found;
  }
  return *at;
}

template <class Q>
std::optional<double> in_base_units(std::string_view text) {
  const parsed<Q> read = parse<Q>(text);
  if (!read) return std::nullopt;
  return read.value.in_base_units();
}

/// A number, plain or with the unit that the key names.
std::optional<double> number_for(std::string_view key, std::string_view text) {
  double plain = 0;
  const auto [end, fault] = decimal_from_chars(text.data(), text.data() + text.size(), plain);
  if (fault == std::errc{} && end == text.data() + text.size())
    return std::isfinite(plain) ? std::optional{plain} : std::nullopt;
  const auto ends = [&](std::string_view unit) { return key.ends_with(unit); };
  if (ends("bytes_per_s")) return in_base_units<bytes_per_second>(text);
  if (ends("flop_per_s")) return in_base_units<flop_per_second>(text);
  if (ends("tokens_per_s")) return in_base_units<tokens_per_second>(text);
  if (ends("_bytes")) return in_base_units<bytes>(text);
  if (ends("_flop")) return in_base_units<flop>(text);
  if (ends("_joules")) return in_base_units<joules>(text);
  if (ends("_dollars")) return in_base_units<dollars>(text);
  if (ends("_tokens") || ends("tokens")) return in_base_units<tokens>(text);
  if (ends("_s")) return in_base_units<seconds>(text);
  const parsed<double> count = parse_count(text);
  return count ? std::optional{count.value} : std::nullopt;
}

bool holds(double found, std::string_view operation, double wanted) {
  if (operation == "<") return found < wanted;
  if (operation == "<=") return found <= wanted;
  if (operation == ">") return found > wanted;
  if (operation == ">=") return found >= wanted;
  return (found == wanted) == (operation == "==");
}

bool is_equality(const comparison& wanted) {
  return wanted.operation == "==" || wanted.operation == "!=";
}

[[noreturn]] void no_number(const comparison& wanted) {
  throw bad_usage{"--assert: '" + std::string(wanted.value) + "' is no number to compare " +
                  std::string(wanted.key) + " with" +
                  (is_equality(wanted) ? "" : "; words are compared by == and !=")};
}

}  // namespace

void require_assertion(std::string_view text) {
  const comparison wanted = parts_of(text);
  static_cast<void>(steps_of(wanted.key));
  if (!is_equality(wanted) && !number_for(wanted.key, wanted.value)) no_number(wanted);
}

assertion_result check_assertion(std::string_view text, const report_json& answer) {
  const comparison wanted = parts_of(text);
  const report_json& found = value_at(wanted.key, answer);
  assertion_result result{.found = found.dump()};
  if (found.is_null()) {
    result.holds = wanted.operation == "==" && wanted.value == "null";
    result.found = "null: unknown or unbounded";
    return result;
  }
  if (found.is_number()) {
    const std::optional<double> number = number_for(wanted.key, wanted.value);
    if (number) {
      result.holds = holds(found.get<double>(), wanted.operation, *number);
      return result;
    }
    if (wanted.value != "null") no_number(wanted);
  }
  if (found.is_structured())
    throw bad_usage{"--assert: " + std::string(wanted.key) + " is " +
                    (found.is_object() ? "an object" : "an array") + ", which has no value"};
  if (!is_equality(wanted))
    throw bad_usage{"--assert: " + std::string(wanted.key) + " can only be compared by == and !="};
  const std::string said = found.is_string() ? found.get<std::string>() : found.dump();
  result.holds = (said == wanted.value) == (wanted.operation == "==");
  return result;
}

}  // namespace gpuplan::cli
