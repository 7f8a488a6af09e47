#pragma once
/// \file
/// Models as somebody names them: by the catalogue, or by a file in a format that is read.

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/api/catalog_name.hpp>
#include <gpuplan/api/convnet_answer.hpp>
#include <gpuplan/api/model_reader.hpp>
#include <gpuplan/api/request_files.hpp>
#include <gpuplan/api/typed_name.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/huggingface.hpp>
#include <gpuplan/model/huggingface_layered.hpp>
#include <gpuplan/model/layered_model.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/finite_json.hpp>
#include <gpuplan/text/json_shown.hpp>
#include <gpuplan/text/json_text.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan::api {

/// A model and what it is called in answers.
struct named_transformer {
  std::string name;
  transformer model{};
  nlohmann::json echo{};  ///< as a request has it: the name, or what the file holds
  std::optional<layered_model> layered{};  ///< in the place of `model`: counted, not planned with
  std::vector<std::string> notes{};  ///< what was left out of it or taken otherwise, to be said
  std::string stored{};  ///< the format of the weights, where the file says that it is another
};

/// What a path leads to.
enum class path_kind { nothing, file, folder };

/// Where files are read from: a request that brings them, or a machine.
struct file_source {
  std::function<path_kind(const std::string& path)> kind{};
  /// The text of a file that is to be a "config.json"; throws what refuses it.
  std::function<std::string(const std::string& path, std::string_view what)> read{};
};

/// The files of a request, which must outlive it.
inline file_source source_of(const request_files& files) {
  return {.kind =
              [&files](const std::string& path) {
                return files.contains(path) ? path_kind::file : path_kind::nothing;
              },
          .read = [&files](const std::string& path,
                           std::string_view what) { return text_of(files, path, what); }};
}

/// Whether a model is one of the catalogue, and no file.
inline bool is_catalogued(const std::string& name_or_path) {
  return name_or_path.find('/') == std::string::npos &&
         catalog::find_model(name_or_path) != nullptr;
}

/// Refuses a model that can be counted only.
/// \throws invalid_input
inline void require_planned(const named_transformer& found) {
  if (!found.layered || found.layered->planned) return;
  for (const layered_family& family : layered_families)
    if (family.name == found.layered->family) refuse_layered(found.name, family, *found.layered);
}

namespace detail {

/// Whether four digits are a year and a month, 2507.  Names have had them since 2023; the years end
/// before a month with its day could be meant: 3001.
inline bool is_date(std::string_view digits) {
  if (digits.size() != 4 ||
      !std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return false;
  const int year = (digits[0] - '0') * 10 + digits[1] - '0';
  const int month = (digits[2] - '0') * 10 + digits[3] - '0';
  return year >= 23 && year <= 29 && month >= 1 && month <= 12;
}

/// The name without the last of what says how and when weights were made: "-instruct", "-2507";
/// the same where there is nothing of it.
inline std::string without_last_suffix(std::string name) {
  if (const auto dash = name.rfind('-');
      dash != name.npos && is_date(std::string_view(name).substr(dash + 1))) {
    name.erase(dash);
    return name;
  }
  for (const std::string_view after :
       {"-hf", "-instruct", "-chat", "-base", "-it", "-pt", "-thinking", "-think", "-reasoning",
        "-sft", "-rl", "-pretrain", "-fp8", "-bf16"})
    if (name.ends_with(after)) {
      name.erase(name.size() - after.size());
      return name;
    }
  return name;
}

/// The name without a word before its version: "mistral-7b-instruct-v0.1".
inline std::string without_inner_word(std::string name) {
  for (const std::string_view word : {"-instruct-", "-chat-"})
    if (const auto at = name.find(word); at != name.npos) name.erase(at, word.size() - 1);
  return name;
}

/// The catalogue's name of a repository, "meta-llama/Llama-3.1-8B-Instruct": its last part, without
/// what says how and when the weights were made; empty where the catalogue has none.  Months with a
/// day stay: GLM-4-9B-0414 has another shape than GLM-4-9B.
inline std::string name_of_repository(const std::string& repository) {
  std::string name = repository.substr(repository.rfind('/') + 1);
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  std::transform(name.begin(), name.end(), name.begin(), lower);
  for (const std::string_view before : {"meta-"})
    if (name.starts_with(before)) name.erase(0, before.size());
  if (catalog::find_model(name) == nullptr) name = without_inner_word(std::move(name));
  while (catalog::find_model(name) == nullptr) {
    const std::size_t before = name.size();
    name = without_last_suffix(std::move(name));
    if (name.size() == before) return {};
  }
  return name;
}

/// Whether a path that is not there reads as a name of the Hub: "org/name".
inline bool is_repository(std::string_view path) {
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

inline named_transformer catalogued(const std::string& name) {
  for (const auto& row : catalog::models)
    if (same_name(row.name, name)) {
      named_transformer found{std::string(row.name), row.model, std::string(row.name)};
      if (!row.left_out.empty())
        found.notes.push_back(found.name + ": the language model is meant; its " +
                              std::string(row.left_out) + " is left out");
      return found;
    }
  throw invalid_input{name + ": is no name of the catalogue"};
}

inline named_transformer model_of_config(const nlohmann::json& object, const std::string& path) {
  named_transformer found{.name = path};
  if (find_layered_family(object) != nullptr) {
    found.layered = read_layered_model(object, path);
    if (found.layered->planned) found.model = *found.layered->planned;
  } else {
    found.model = model_from_json(object, path);
  }
  return found;
}

/// A config as its file has it, in which Python may have written Infinity or NaN.
inline named_transformer read_config(const std::string& path, const file_source& files) {
  const std::string text = files.read(path, "config.json");
  const std::string finite = finite_json(text);
  nlohmann::json object = parse_json(finite, path);
  named_transformer found = [&] {
    try {
      return model_of_config(object, path);
    } catch (const null_field& refused) {
      if (finite == text) throw;
      throw invalid_input{std::string(refused.what()) + ", Infinity or NaN"};
    }
  }();
  if (object.is_object()) {
    if (const std::string parts = left_out_parts(object); !parts.empty())
      found.notes.push_back(
          path + ": the language model is read; " + parts +
          (parts.find(',') == std::string::npos ? " is left out" : " are left out"));
    if (const std::string_view head = left_out_head(object); !head.empty())
      found.notes.push_back(path + ": " + std::string(head) + " is left out");
    found.stored = stored_format(object);
    if (!found.stored.empty())
      found.notes.push_back(
          path + ": quantization_config (" + found.stored +
          ") tells how the file stores weights; they count as the precision of training has them");
  }
  found.echo = std::move(object);
  return found;
}

[[noreturn]] inline void refuse_model(const std::string& name_or_path, std::string_view said_by) {
  if (const named_network* network = find_network(bounded_name(name_or_path)))
    throw invalid_input{std::string(said_by) + ": " + std::string(network->name) +
                        " is a network of images, of which no job is planned; gpuplan model " +
                        std::string(network->name) + " counts it"};
  const std::string hint = hint_of_model(name_or_path);
  if (name_or_path.find('/') == std::string::npos)
    throw invalid_input{std::string(said_by) +
                        " must be a name of the catalogue or the path of a config.json, not " +
                        shown(nlohmann::json(name_or_path)) +
                        (hint.empty() ? "; gpuplan catalog models lists them" : hint)};
  if (is_repository(name_or_path))
    throw invalid_input{name_or_path +
                        ": there is no such file, and the catalogue has no such model; nothing "
                        "is downloaded: pass the path of its config.json" +
                        hint};
  throw invalid_input{name_or_path + ": there is no such file" + hint};
}

}  // namespace detail

/// The file that a model is read from, by the path that names it: of a folder, its config.json.
inline std::string config_path(const std::string& path, const file_source& files) {
  return files.kind(path) == path_kind::folder ? path + "/config.json" : path;
}

/// A model by its catalogue name, or by the path of a JSON file.
///
///     said_by  where it was given, for the error line
///
/// \throws invalid_input if there is none, or the file cannot be read; and what `files` throws
inline named_transformer find_model_or_file(const std::string& name_or_path,
                                            const file_source& files,
                                            std::string_view said_by = "MODEL") {
  if (name_or_path.empty())
    throw invalid_input{std::string(said_by) +
                        " is required: a name of the catalogue, or the path of a config.json"};
  if (is_catalogued(name_or_path)) return detail::catalogued(name_or_path);
  if (files.kind(name_or_path) != path_kind::nothing || name_or_path.ends_with(".json"))
    return detail::read_config(config_path(name_or_path, files), files);
  if (const std::string name = detail::name_of_repository(name_or_path); !name.empty())
    return detail::catalogued(name);
  detail::refuse_model(name_or_path, said_by);
}

}  // namespace gpuplan::api
