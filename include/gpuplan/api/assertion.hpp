#pragma once
/// \file
/// --assert: a comparison that an answer must pass.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <gpuplan/report/json.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/decimal_number.hpp>
#include <gpuplan/text/field_value.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/parse.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::api {

/// Whether an answer passes a comparison.
struct assertion_result {
  bool holds = false;  ///< the comparison is true
  std::string found;   ///< the value that was compared
};

namespace detail {

struct comparison {
  std::string_view key;
  std::string_view operation;
  std::string_view value;
};

inline comparison parts_of(std::string_view text) {
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
    throw invalid_input{"--assert: '" + std::string(text) +
                        "' must be KEY OP VALUE, as 'mfu >= 0.4'; OP is one of < <= > >= == !="};
  return parts;
}

struct assertion_key {
  std::string name;
};

[[noreturn]] inline void no_key(std::string_view key, std::string_view step,
                                const report_json& at) {
  std::vector<assertion_key> known;
  std::string list;
  if (at.is_object())
    for (const auto& [name, ignored] : at.items()) {
      known.push_back({name});
      list += (list.empty() ? "" : ", ") + name;
    }
  throw invalid_input{"--assert: the answer has no '" + std::string(step) + "' of '" +
                      std::string(key) + "'" + did_you_mean(step, known) +
                      (list.empty() ? "" : "; there are " + list)};
}

/// A step of a path: a key of an object, or "[2]", a place in an array.
struct path_step {
  std::string_view text;
  std::optional<std::size_t> place{};
};

/// "[2]" at the beginning of a text.
inline std::optional<path_step> place_in_array(std::string_view text) {
  const auto close = text.find(']');
  if (!text.starts_with('[') || close == text.npos) return std::nullopt;
  const std::string_view digits = text.substr(1, close - 1);
  std::size_t place = 0;
  const auto [last, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), place);
  if (fault != std::errc{} || last != digits.data() + digits.size()) return std::nullopt;
  return path_step{text.substr(0, close + 1), place};
}

/// The steps of KEY[PLACE][PLACE].KEY...
inline std::vector<path_step> steps_of(std::string_view path) {
  std::vector<path_step> steps;
  for (std::string_view rest = path;;) {
    const std::string_view key = rest.substr(0, rest.find_first_of(".[]"));
    bool is_path = !key.empty();
    steps.push_back({key});
    rest.remove_prefix(key.size());
    while (is_path && rest.starts_with('[')) {
      const std::optional<path_step> place = place_in_array(rest);
      is_path = place.has_value();
      if (!is_path) break;
      steps.push_back(*place);
      rest.remove_prefix(place->text.size());
    }
    if (is_path && rest.empty()) return steps;
    if (!is_path || !rest.starts_with('.'))
      throw invalid_input{"--assert: '" + std::string(path) +
                          "' is no path of keys, such as memory.stages[0].total_bytes"};
    rest.remove_prefix(1);
  }
}

/// The value under a path.
inline const report_json& value_at(std::string_view path, const report_json& answer) {
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
inline std::optional<double> in_base_units(std::string_view text) {
  const parsed<Q> read = parse<Q>(text);
  if (!read) return std::nullopt;
  return read.value.in_base_units();
}

/// The end of a key's name that names its unit, and how a quantity of it is read.
struct unit_of_key {
  std::string_view end;
  std::optional<double> (*read)(std::string_view text);
};

/// Rates before what their names end with.
inline constexpr std::array units_of_keys{
    unit_of_key{"bytes_per_s", in_base_units<bytes_per_second>},
    unit_of_key{"flop_per_s", in_base_units<flop_per_second>},
    unit_of_key{"tokens_per_s", in_base_units<tokens_per_second>},
    unit_of_key{"_bytes", in_base_units<bytes>},
    unit_of_key{"_flop", in_base_units<flop>},
    unit_of_key{"_joules", in_base_units<joules>},
    unit_of_key{"_dollars", in_base_units<dollars>},
    unit_of_key{"tokens", in_base_units<tokens>},
    unit_of_key{"_s", in_base_units<seconds>}};

/// The unit that a key names; null where it names none.
inline const unit_of_key* find_unit_of(std::string_view key) {
  const auto* found = std::find_if(units_of_keys.begin(), units_of_keys.end(),
                                   [&](const unit_of_key& one) { return key.ends_with(one.end); });
  return found == units_of_keys.end() ? nullptr : found;
}

/// A number, plain or with the unit that the key names, or a share in percent of one that names
/// none.
inline std::optional<double> number_for(std::string_view key, std::string_view text) {
  double plain = 0;
  const auto [end, fault] = decimal_from_chars(text.data(), text.data() + text.size(), plain);
  if (fault == std::errc{} && end == text.data() + text.size())
    return std::isfinite(plain) ? std::optional{plain} : std::nullopt;
  if (const unit_of_key* unit = find_unit_of(key)) return unit->read(text);
  const bool percent = text.ends_with('%');
  const parsed<double> count = parse_count(percent ? text.substr(0, text.size() - 1) : text);
  if (!count) return std::nullopt;
  return percent ? count.value / 100 : count.value;
}

/// Whether a text is a quantity with a unit, whatever its key: the answer tells whether there is
/// that key, which is to be blamed first.
inline bool is_quantity(std::string_view text) {
  return std::any_of(units_of_keys.begin(), units_of_keys.end(),
                     [&](const unit_of_key& one) { return one.read(text).has_value(); });
}

inline bool holds(double found, std::string_view operation, double wanted) {
  if (operation == "<") return found < wanted;
  if (operation == "<=") return found <= wanted;
  if (operation == ">") return found > wanted;
  if (operation == ">=") return found >= wanted;
  return (found == wanted) == (operation == "==");
}

inline bool is_equality(const comparison& wanted) {
  return wanted.operation == "==" || wanted.operation == "!=";
}

/// What to give in the place of a value in which no number was read.
inline std::string_view advice_on(const comparison& wanted) {
  const std::string_view unsigned_value =
      wanted.value.substr(wanted.value.find_first_of("+-.$") == 0 ? 1 : 0);
  if (unsigned_value.find_first_of("0123456789") == 0)
    return "; give the plain number, in the unit of the field";
  return is_equality(wanted) ? "" : "; words are compared by == and !=";
}

[[noreturn]] inline void no_number(const comparison& wanted) {
  throw invalid_input{"--assert: '" + std::string(wanted.value) + "' is no number to compare " +
                      std::string(wanted.key) + " with" + std::string(advice_on(wanted))};
}

}  // namespace detail

/// Refuses what is no comparison, whatever the answer will be.
/// \throws invalid_input
inline void require_assertion(std::string_view text) {
  const detail::comparison wanted = detail::parts_of(text);
  static_cast<void>(detail::steps_of(wanted.key));
  if (detail::is_equality(wanted) || detail::number_for(wanted.key, wanted.value)) return;
  if (detail::find_unit_of(wanted.key) != nullptr || !detail::is_quantity(wanted.value))
    detail::no_number(wanted);
}

/// Compares what the JSON answer holds under a path with a value: "KEY OP VALUE".
///
///     KEY    keys joined by points, places of an array in brackets: memory.stages[0].total_bytes
///     OP     < <= > >= == !=
///     VALUE  a number, a quantity with its unit (70GiB, 2.5h) or a share (90%), true, false,
///            null or a word
///
/// Of a value that is null, unknown or without bound, nothing holds but "== null".
/// \throws invalid_input if it is no such comparison, or the answer has no such key
inline assertion_result check_assertion(std::string_view text, const report_json& answer) {
  const detail::comparison wanted = detail::parts_of(text);
  const report_json& found = detail::value_at(wanted.key, answer);
  assertion_result result{.found = found.dump()};
  if (found.is_null()) {
    result.holds = wanted.operation == "==" && wanted.value == "null";
    result.found = "null: unknown or unbounded";
    return result;
  }
  if (found.is_number()) {
    const std::optional<double> number = detail::number_for(wanted.key, wanted.value);
    if (number) {
      result.holds = detail::holds(found.get<double>(), wanted.operation, *number);
      return result;
    }
    if (wanted.value != "null") detail::no_number(wanted);
  }
  if (found.is_structured())
    throw invalid_input{"--assert: " + std::string(wanted.key) + " is " +
                        (found.is_object() ? "an object" : "an array") + ", which has no value"};
  if (!detail::is_equality(wanted))
    throw invalid_input{"--assert: " + std::string(wanted.key) +
                        " can only be compared by == and !="};
  const std::string said = found.is_string() ? found.get<std::string>() : found.dump();
  result.holds = (said == wanted.value) == (wanted.operation == "==");
  return result;
}

/// Whether all comparisons hold of an answer; calls say(line) for each that does not.
/// \throws invalid_input if one cannot be read or names what the answer does not hold
template <class Say>
bool all_hold(const std::vector<std::string>& texts, const report_json& answer, Say&& say) {
  bool all = true;
  for (const std::string& text : texts) {
    const assertion_result result = check_assertion(text, answer);
    if (result.holds) continue;
    all = false;
    say("--assert failed: " + text + " (it is " + result.found + ")");
  }
  return all;
}

}  // namespace gpuplan::api
