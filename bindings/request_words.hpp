#pragma once
/// \file
/// A request as the words of a command line.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gpuplan::bindings {

/// Collects the options of a subcommand, and what a request gives them.
class request_words {
 public:
  /// The options must outlive it.
  request_words(std::string question, const CLI::App& options);

  /// A member of a request: a part of a job ("cluster", "recipe", "parallelism", "workspace") or
  /// "options".
  /// \throws bad_request of a key that the question does not know, or a value that no option takes
  void add_part(std::string_view part, const nlohmann::json& object);
  /// The name or the path of a model.
  /// \throws bad_request
  void add_model(const std::string& name);

  /// The words, --json among them where the subcommand has it.
  /// \throws bad_request of a word that lacks the one before it
  [[nodiscard]] std::vector<std::string> words() const;
  /// Whether the answer is the text of a launch, which is no JSON.
  [[nodiscard]] bool prints_launch() const;
  /// The place in the request that gave an option, "--gpu", or a positional, "MODEL", or that has
  /// this value, as the name of a file; of the question, what alone was given; of an option that was
  /// not given, where it would stand; empty if none.
  [[nodiscard]] std::string place_of(std::string_view name) const;
  /// A line that refuses words, with numbers and flags as the request has them: not "not the string".
  [[nodiscard]] std::string as_given(std::string line) const;

 private:
  template <class Rows>
  void add_rows(const std::string& part, const nlohmann::json& object, const Rows& rows);
  void add_fabric(const nlohmann::json& link);
  void add_options(const nlohmann::json& object);
  void add(const CLI::Option& option, const std::string& place, const nlohmann::json& value);
  /// The option of that long name, without the hyphens; nullptr if there is none.
  [[nodiscard]] const CLI::Option* named(std::string_view name) const;
  [[nodiscard]] const CLI::Option& required(std::string_view name, const std::string& place) const;
  void give(const CLI::Option& option, const std::string& place, std::vector<std::string> values);

  std::string question_;
  const CLI::App& options_;
  std::vector<std::string> words_{};
  std::map<const CLI::Option*, std::vector<std::string>> positionals_{};
  std::map<std::string, std::string, std::less<>> places_{};
  std::map<std::string, std::string, std::less<>> values_{};
  std::map<std::string, std::string> scalars_{};  // that are no text, by their words
};

}  // namespace gpuplan::bindings
