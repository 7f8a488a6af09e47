#pragma once
/// \file
/// Names, files and quantities as the user gives them, made into what the library takes.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/model/layered_model.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/parse.hpp>

#include "program.hpp"

namespace gpuplan::cli {

/// A model and what it is called in answers.
struct named_transformer {
  std::string name;
  transformer model{};
  nlohmann::json echo{};  ///< as a request has it: the name, or what the file holds
  std::optional<layered_model> layered{};  ///< in the place of `model`: counted, not planned with
  std::vector<std::string> notes{};  ///< what was left out of it or taken otherwise, to be said
  std::string stored{};  ///< the format of the weights, where the file says that it is another
};

/// A name as it is looked up: empty, the name of nothing, where it is longer than any name.
constexpr std::string_view bounded_name(std::string_view typed) {
  return typed.size() <= 4 * folded_name::capacity ? typed : std::string_view{};
}

/// "; did you mean H100?", or nothing; names and aliases alike.
std::string hint_of_gpu(std::string_view typed);
std::string hint_of_fabric(std::string_view typed);
std::string hint_of_model(std::string_view typed);

/// The whole of a file that may be a JSON text, no longer than largest_json_text: of a
/// "config.json" or a "profile".
/// \throws bad_usage
std::string read_file(const std::string& path, std::string_view what);

/// A config.json of Hugging Face, or the library's own fields.
/// \throws invalid_input, of a model too whose layers are of several kinds
transformer model_from_json(const nlohmann::json& object, std::string_view name);

/// Says the notes of a model, once nothing refuses it.
void say_notes(const named_transformer& found);

/// Refuses a model that can be counted only.
/// \throws invalid_input
void require_planned(const named_transformer& found);

/// Whether a model is one of the catalogue, and no file.
bool is_catalogued(const std::string& name_or_path);

/// A model by its catalogue name, or by the path of a JSON file.
/// \throws bad_usage or invalid_input
named_transformer find_model_or_file(const std::string& name_or_path);

/// `where` begins the error line: "--gpu" or "cluster: gpu".
/// \throws invalid_input with those that may have been meant
const catalog::accelerator_entry& find_gpu(std::string_view name, std::string_view where);
const catalog::fabric_entry& find_fabric(std::string_view name, std::string_view where);

/// A whole number, as "64", "1k" or "1e3".
/// \throws bad_usage
std::int64_t whole_number(std::string_view text, std::string_view option, std::int64_t least,
                          std::int64_t most);

/// A number from `least` to `most`.
/// \throws bad_usage
double plain_number(std::string_view text, std::string_view option, double least, double most);

/// "; did you mean fsdp?": the closest names, else the longest one that is part of what was typed.
template <class Table>
std::string hint_from(std::string_view typed, const Table& table) {
  const std::string closest = did_you_mean(bounded_name(typed), table);
  if (!closest.empty()) return closest;
  const folded_name letters{bounded_name(typed)};
  std::string_view longest;
  for (const auto& row : table)
    if (letters.text().find(folded_name{row.name}.text()) != std::string_view::npos &&
        row.name.size() > longest.size())
      longest = row.name;
  return longest.empty() ? std::string{} : "; did you mean " + std::string(longest) + "?";
}

/// The value that a table of names gives to what was typed.
/// \throws invalid_input with those that may have been meant
template <class Table>
auto choice(std::string_view typed, const Table& table, std::string_view where) {
  if (const auto* row = find_spelling(bounded_name(typed), table)) return row->value;
  std::string known;
  for (const auto& row : table) known += (known.empty() ? "" : ", ") + std::string(row.name);
  throw invalid_input{std::string(where) + " must be one of " + known + ", not " +
                      shown(nlohmann::json(typed)) + hint_from(typed, table)};
}

/// A share from 0 to 1, as 0.1 or 10%.
/// \throws bad_usage
double share_of(std::string_view text, std::string_view option);

/// A quantity with its unit.
/// \throws bad_usage
template <class Q>
Q quantity_of(std::string_view text, std::string_view option) {
  const parsed<Q> read = parse<Q>(text);
  if (!read)
    throw bad_usage{std::string(option) + ": '" + std::string(text) + "' " +
                    std::string(problem_of(read.fault)) + "; write it as " +
                    std::string(examples_of(Q::exponents))};
  return read.value;
}

}  // namespace gpuplan::cli
