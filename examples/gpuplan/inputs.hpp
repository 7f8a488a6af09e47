#pragma once
/// \file
/// Names, files and quantities as the user gives them, made into what the library takes.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/api/catalog_name.hpp>
#include <gpuplan/api/named_model.hpp>
#include <gpuplan/api/typed_name.hpp>
#include <gpuplan/api/typed_number.hpp>
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
using api::is_catalogued;
using api::named_transformer;
using api::plain_number;
using api::quantity_of;
using api::require_planned;
using api::share_of;
using api::whole_number;

/// The whole of a file that may be a JSON text, no longer than largest_json_text: of a
/// "config.json" or a "profile".
/// \throws bad_usage or invalid_input
std::string read_file(const std::string& path, std::string_view what);

/// Says the notes of a model, once nothing refuses it.
void say_notes(const named_transformer& found);

/// Files that the program reads: the machine's, or those of the caller within the process.
api::file_source program_files();

/// A model by its catalogue name, or by the path of a JSON file.
///
///     said_by  where it was given, for the error line
///
/// \throws bad_usage or invalid_input
named_transformer find_model_or_file(const std::string& name_or_path,
                                     const std::string& said_by = "MODEL");

}  // namespace gpuplan::cli
