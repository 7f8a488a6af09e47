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

#include <gpuplan/api/model_reader.hpp>
#include <gpuplan/api/typed_number.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/huggingface.hpp>
#include <gpuplan/model/huggingface_layered.hpp>
#include <gpuplan/text/finite_json.hpp>
#include <gpuplan/text/json_text.hpp>

#include "redirection.hpp"

namespace gpuplan::cli {
namespace {

struct closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void unreadable(const std::string& path, const std::string& why) {
  throw bad_usage{path + ": " + why};
}

}  // namespace

std::string read_file(const std::string& path, std::string_view what) {
  namespace fs = std::filesystem;
  constexpr std::uintmax_t most = largest_json_text;
  const std::string too_long =
      "is longer than " + std::to_string(most >> 20) + " MiB, so it is no " + std::string(what);
  if (const redirection* const from = redirected()) {
    const std::string* const text = from->file(path);
    if (text == nullptr) unreadable(path, "there is no such file");
    if (text->size() > most) unreadable(path, too_long);
    return *text;
  }
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

void say_notes(const named_transformer& found) {
  for (const std::string& note : found.notes) say(note);
}

void require_planned(const named_transformer& found) {
  if (!found.layered || found.layered->planned) return;
  for (const layered_family& family : layered_families)
    if (family.name == found.layered->family)
      api::refuse_layered(found.name, family, *found.layered);
}

bool is_catalogued(const std::string& name_or_path) {
  return name_or_path.find('/') == std::string::npos &&
         catalog::find_model(name_or_path) != nullptr;
}

namespace {

/// The catalogue's name of a repository, "meta-llama/Llama-3.1-8B-Instruct": its last part, without
/// what says how the weights were made; empty where the catalogue has none.
std::string name_of_repository(const std::string& repository) {
  std::string name = repository.substr(repository.rfind('/') + 1);
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  std::transform(name.begin(), name.end(), name.begin(), lower);
  for (const std::string_view before : {"meta-"})
    if (name.starts_with(before)) name.erase(0, before.size());
  for (const std::string_view after : {"-hf", "-instruct", "-chat", "-base", "-it"})
    if (name.ends_with(after)) name.erase(name.size() - after.size());
  return catalog::find_model(name) != nullptr ? name : std::string{};
}

/// Whether a path that is not there reads as a name of the Hub: "org/name".
bool is_repository(std::string_view path) {
  const auto slash = path.find('/');
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return slash != 0 && slash != path.npos && slash + 1 < path.size() &&
         path.find('/', slash + 1) == path.npos && letter(path.front()) &&
         std::all_of(path.begin(), path.end(), [&](char c) {
           return letter(c) || c == '/' || c == '-' || c == '_' || c == '.';
         });
}

named_transformer catalogued(const std::string& name) {
  for (const auto& row : catalog::models)
    if (same_name(row.name, name)) return {std::string(row.name), row.model, std::string(row.name)};
  throw invalid_input{name + ": is no name of the catalogue"};
}

named_transformer read_config(const std::string& path) {
  nlohmann::json object = parse_json(finite_json(read_file(path, "config.json")), path);
  named_transformer found{.name = path};
  if (find_layered_family(object) != nullptr) {
    found.layered = read_layered_model(object, path);
    if (found.layered->planned) found.model = *found.layered->planned;
  } else {
    found.model = api::model_from_json(object, path);
  }
  if (object.is_object()) {
    if (const std::string parts = left_out_parts(object); !parts.empty())
      found.notes.push_back(path + ": the language model is read; " + parts + " is left out");
    found.stored = stored_format(object);
    if (!found.stored.empty())
      found.notes.push_back(
          path + ": quantization_config (" + found.stored +
          ") tells how the file stores weights; they count as the precision of training has them");
  }
  found.echo = std::move(object);
  return found;
}

}  // namespace

namespace {

enum class path_kind { nothing, file, folder };

path_kind kind_of_path(const std::string& path) {
  if (const redirection* const from = redirected())
    return from->file(path) != nullptr ? path_kind::file : path_kind::nothing;
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed)) return path_kind::folder;
  return std::filesystem::exists(path, failed) ? path_kind::file : path_kind::nothing;
}

}  // namespace

named_transformer find_model_or_file(const std::string& name_or_path, const std::string& said_by) {
  if (name_or_path.empty())
    throw bad_usage{said_by +
                    " is required: a name of the catalogue, or the path of a config.json"};
  const auto begins_path = name_or_path.find('/') != std::string::npos;
  if (is_catalogued(name_or_path)) return catalogued(name_or_path);
  const path_kind kind = kind_of_path(name_or_path);
  if (kind == path_kind::folder) return read_config(name_or_path + "/config.json");
  if (kind == path_kind::file || name_or_path.ends_with(".json")) return read_config(name_or_path);
  if (const std::string name = name_of_repository(name_or_path); !name.empty())
    return catalogued(name);
  if (begins_path && is_repository(name_or_path)) {
    const std::string hint = hint_of_model(name_or_path);
    unreadable(name_or_path,
               "there is no such file, and the catalogue has no such model; nothing "
               "is downloaded: pass the path of its config.json" +
                   hint);
  }
  if (begins_path) unreadable(name_or_path, "there is no such file" + hint_of_model(name_or_path));
  const std::string hint = hint_of_model(name_or_path);
  throw bad_usage{said_by + " must be a name of the catalogue or the path of a config.json, not " +
                  shown(nlohmann::json(name_or_path)) +
                  (hint.empty() ? "; gpuplan catalog models lists them" : hint)};
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
  try {
    return api::plain_number(text, option, least, most);
  } catch (const invalid_input& refused) {
    throw bad_usage{refused.what()};
  }
}

double share_of(std::string_view text, std::string_view option) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  return plain_number(text, option, 0, percent ? 100 : 1) / (percent ? 100 : 1);
}

}  // namespace gpuplan::cli
