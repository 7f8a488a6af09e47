/// \file
/// --assert.

#include "assertion.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

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

/// The value under a path.
const report_json& value_at(std::string_view key, const report_json& answer) {
  const report_json* at = &answer;
  std::string_view rest = key;
  while (!rest.empty()) {
    const auto end = rest.find_first_of(".[");
    const std::string_view step = rest.substr(0, end);
    if (!step.empty()) {
      const auto found = at->is_object() ? at->find(std::string(step)) : at->end();
      if (found == at->end()) no_key(key, step, *at);
      at = &*found;
    }
    rest.remove_prefix(end == rest.npos ? rest.size() : end);
    if (rest.starts_with('[')) {
      const auto close = rest.find(']');
      const std::string_view place = rest.substr(1, close == rest.npos ? close : close - 1);
      std::size_t index = 0;
      const auto [last, fault] = std::from_chars(place.data(), place.data() + place.size(), index);
      if (close == rest.npos || fault != std::errc{} || last != place.data() + place.size() ||
          !at->is_array() || index >= at->size())
        no_key(key, rest.substr(0, close == rest.npos ? close : close + 1), *at);
      at = &(*at)[index];
      rest.remove_prefix(close + 1);
    }
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      if (rest.empty() || rest.starts_with('.')) no_key(key, rest, *at);
    }
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
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), plain);
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

}  // namespace

assertion_result check_assertion(std::string_view text, const report_json& answer) {
  const comparison wanted = parts_of(text);
  const report_json& found = value_at(wanted.key, answer);
  assertion_result result{.found = found.dump()};
  const bool equality = wanted.operation == "==" || wanted.operation == "!=";
  if (found.is_number()) {
    const std::optional<double> number = number_for(wanted.key, wanted.value);
    if (number) {
      result.holds = holds(found.get<double>(), wanted.operation, *number);
      return result;
    }
    if (wanted.value != "null")
      throw bad_usage{"--assert: '" + std::string(wanted.value) + "' is no number to compare " +
                      std::string(wanted.key) + " with"};
  }
  if (found.is_structured())
    throw bad_usage{"--assert: " + std::string(wanted.key) + " is " +
                    (found.is_object() ? "an object" : "an array") + ", which has no value"};
  if (!equality) {
    if (found.is_null()) return result;
    throw bad_usage{"--assert: " + std::string(wanted.key) + " can only be compared by == and !="};
  }
  const std::string said = found.is_string() ? found.get<std::string>() : found.dump();
  result.holds = (said == wanted.value) == (wanted.operation == "==");
  return result;
}

}  // namespace gpuplan::cli
