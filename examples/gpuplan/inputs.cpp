/// \file
/// Names, files and numbers as the user gives them.

#include "inputs.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/huggingface.hpp>
#include <gpuplan/model/transformer_json.hpp>
#include <gpuplan/text/json_text.hpp>

namespace gpuplan::cli {
namespace {

struct closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void unreadable(const std::string& path, const std::string& why) {
  throw bad_usage{path + ": " + why};
}

/// What is usual in a config.json, and no field of ours.
bool is_config(const nlohmann::json& object) {
  for (const char* field : {"model_type", "architectures", "text_config", "num_hidden_layers",
                            "n_layer", "num_layers", "n_embd", "d_model"})
    if (object.contains(field)) return true;
  return false;
}

struct name_only {
  std::string_view name;
};

/// "; did you mean H100-SXM5-80GB?", from the names and the aliases of a table.
template <class Entries, class Aliases>
std::string meant(std::string_view typed, const Entries& entries, const Aliases& aliases) {
  std::vector<name_only> known;
  for (const auto& entry : entries) known.push_back({entry.name});
  for (const auto& other : aliases) known.push_back({other.name});
  return hint_from(typed, known);
}

[[noreturn]] void unknown_name(std::string_view where, std::string_view name,
                               const std::string& hint, std::string_view list) {
  throw invalid_input{
      std::string(where) + " must be a name of the catalogue, not " + shown(nlohmann::json(name)) +
      (hint.empty() ? "; gpuplan catalog " + std::string(list) + " lists them" : hint)};
}

}  // namespace

std::string hint_of_gpu(std::string_view typed) {
  return meant(bounded_name(typed), catalog::accelerators, catalog::accelerator_aliases);
}

std::string hint_of_fabric(std::string_view typed) {
  return meant(bounded_name(typed), catalog::fabrics, catalog::fabric_aliases);
}

std::string hint_of_model(std::string_view typed) {
  return hint_from(typed.substr(typed.rfind('/') + 1), catalog::models);
}

std::string read_file(const std::string& path, std::string_view what) {
  namespace fs = std::filesystem;
  constexpr std::uintmax_t most = largest_json_text;
  const std::string too_long =
      "is longer than " + std::to_string(most >> 20) + " MiB, so it is no " + std::string(what);
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (status.type() == fs::file_type::not_found) unreadable(path, "there is no such file");
  if (failed) unreadable(path, failed.message());
  if (fs::is_directory(status))
    unreadable(path, "is a directory; name the " + std::string(what) + " in it");
  if (fs::is_regular_file(status) && fs::file_size(path, failed) > most && !failed)
    unreadable(path, too_long);

  const std::unique_ptr<std::FILE, closer> file{std::fopen(path.c_str(), "rb")};
  if (!file) unreadable(path, std::strerror(errno));
  std::string text;
  char part[1 << 16];
  while (const std::size_t size = std::fread(part, 1, sizeof part, file.get())) {
    text.append(part, size);
    if (text.size() > most) unreadable(path, too_long);
  }
  if (std::ferror(file.get()) != 0) unreadable(path, std::strerror(errno));
  return text;
}

transformer model_from_json(const nlohmann::json& object, std::string_view name) {
  if (!object.is_object())
    throw invalid_input{std::string(name) + ": must be a JSON object, not " + shown(object)};
  if (is_config(object)) return read_huggingface(object, name);
  if (object.contains("layers")) return read_transformer(object, name);
  throw invalid_input{std::string(name) +
                      ": has neither model_type, as a config.json, nor layers, as the library's "
                      "own fields"};
}

bool is_catalogued(const std::string& name_or_path) {
  return name_or_path.find('/') == std::string::npos &&
         catalog::find_model(name_or_path) != nullptr;
}

named_transformer find_model_or_file(const std::string& name_or_path) {
  if (name_or_path.empty()) throw bad_usage{"MODEL must not be empty"};
  const auto begins_path = name_or_path.find('/') != std::string::npos;
  if (is_catalogued(name_or_path))
    for (const auto& row : catalog::models)
      if (same_name(row.name, name_or_path))
        return {std::string(row.name), row.model, std::string(row.name)};
  std::error_code failed;
  const bool is_there = std::filesystem::exists(name_or_path, failed);
  if (begins_path && !is_there && !name_or_path.ends_with(".json"))
    unreadable(name_or_path, "there is no such file" + hint_of_model(name_or_path));
  if (is_there || name_or_path.ends_with(".json")) {
    nlohmann::json object = parse_json(read_file(name_or_path, "config.json"), name_or_path);
    const transformer read = model_from_json(object, name_or_path);
    return {name_or_path, read, std::move(object)};
  }
  const std::string hint = hint_of_model(name_or_path);
  throw bad_usage{"MODEL must be a name of the catalogue or the path of a config.json, not " +
                  shown(nlohmann::json(name_or_path)) +
                  (hint.empty() ? "; gpuplan catalog models lists them" : hint)};
}

const catalog::accelerator_entry& find_gpu(std::string_view name, std::string_view where) {
  if (const auto* found = catalog::find_accelerator(bounded_name(name))) return *found;
  unknown_name(where, name, hint_of_gpu(name), "accelerators");
}

const catalog::fabric_entry& find_fabric(std::string_view name, std::string_view where) {
  if (const auto* found = catalog::find_fabric(bounded_name(name))) return *found;
  unknown_name(where, name, hint_of_fabric(name), "fabrics");
}

std::int64_t whole_number(std::string_view text, std::string_view option, std::int64_t least,
                          std::int64_t most) {
  const parsed<double> read = parse_count(text);
  const bool fits = read && read.value >= static_cast<double>(least) &&
                    read.value <= static_cast<double>(most) && read.value == std::floor(read.value);
  if (!fits)
    throw bad_usage{std::string(option) + " must be a whole number from " + std::to_string(least) +
                    " to " + std::to_string(most) + ", not " + shown(nlohmann::json(text))};
  return static_cast<std::int64_t>(read.value);
}

double plain_number(std::string_view text, std::string_view option, double least, double most) {
  const parsed<double> read = parse_count(text);
  if (!read || !(read.value >= least && read.value <= most))
    throw bad_usage{std::string(option) + " must be a number from " + nlohmann::json(least).dump() +
                    " to " + nlohmann::json(most).dump() + ", not " + shown(nlohmann::json(text))};
  return read.value;
}

}  // namespace gpuplan::cli
