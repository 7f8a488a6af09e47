#pragma once
/// \file
/// Names, files and quantities as the user gives them, made into what the library takes.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/api/catalog_name.hpp>
#include <gpuplan/api/typed_name.hpp>
#include <gpuplan/model/layered_model.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/units/parse.hpp>

#include "program.hpp"

namespace gpuplan::cli {

using api::bounded_name;
using api::choice;
using api::find_fabric;
using api::find_gpu;
using api::hint_from;
using api::hint_of_fabric;
using api::hint_of_gpu;
using api::hint_of_model;

/// A model and what it is called in answers.
struct named_transformer {
  std::string name;
  transformer model{};
  nlohmann::json echo{};  ///< as a request has it: the name, or what the file holds
  std::optional<layered_model> layered{};  ///< in the place of `model`: counted, not planned with
  std::vector<std::string> notes{};  ///< what was left out of it or taken otherwise, to be said
  std::string stored{};  ///< the format of the weights, where the file says that it is another
};

/// The whole of a file that may be a JSON text, no longer than largest_json_text: of a
/// "config.json" or a "profile".
/// \throws bad_usage
std::string read_file(const std::string& path, std::string_view what);

/// Says the notes of a model, once nothing refuses it.
void say_notes(const named_transformer& found);

/// Refuses a model that can be counted only.
/// \throws invalid_input
void require_planned(const named_transformer& found);

/// Whether a model is one of the catalogue, and no file.
bool is_catalogued(const std::string& name_or_path);

/// A model by its catalogue name, or by the path of a JSON file.
///
///     said_by  where it was given, for the error line
///
/// \throws bad_usage or invalid_input
named_transformer find_model_or_file(const std::string& name_or_path,
                                     const std::string& said_by = "MODEL");

/// A whole number, as "64", "1k" or "1e3".
/// \throws bad_usage
std::int64_t whole_number(std::string_view text, std::string_view option, std::int64_t least,
                          std::int64_t most);

/// A number from `least` to `most`.
/// \throws bad_usage
double plain_number(std::string_view text, std::string_view option, double least, double most);

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
