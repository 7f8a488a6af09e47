#pragma once
/// \file
/// Lines that refuse words of a command line, in the names of a request in JSON.

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <gpuplan/api/cluster_fields.hpp>
#include <gpuplan/api/refusal.hpp>
#include <gpuplan/memory/workspace_fields.hpp>
#include <gpuplan/model/recipe_fields.hpp>

namespace gpuplan::api {

/// Options that print text or write files, which a request does not have: an answer is JSON, and is
/// returned.
inline constexpr std::array<std::string_view, 8> of_the_command_line{
    "help", "help-all", "json", "json-lines", "markdown", "html", "output", "csv"};

/// Whether an option is one of these, by its name without hyphens before it.
constexpr bool is_of_the_command_line(std::string_view name) {
  return std::find(of_the_command_line.begin(), of_the_command_line.end(), name) !=
         of_the_command_line.end();
}

/// The place in a request that a name of the program stands for: "cluster.gpu" for "--gpu"; empty
/// where it stands for none.
using place_in_request = std::function<std::string(std::string_view name)>;

namespace detail {

/// Whether a row of a field has that option, by its name or an alias.
inline bool has_option(std::string_view options, std::string_view option) {
  while (!options.empty()) {
    const std::size_t end = (std::min)(options.find(','), options.size());
    if (options.substr(0, end) == option) return true;
    options.remove_prefix((std::min)(end + 1, options.size()));
  }
  return false;
}

/// "PART.KEY" of the row that has the option; empty if none has it.
template <class Rows>
std::string field_with_option(const Rows& rows, std::string_view part, std::string_view option) {
  for (const auto& row : rows)
    if (has_option(row.option, option)) return std::string(part) + "." + std::string(row.key);
  return {};
}

constexpr bool is_small(char c) {
  return c >= 'a' && c <= 'z';
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Words that a command line takes without an option before them, as its help has them.
inline constexpr std::array<std::string_view, 7> positionals{"A",     "B",    "KIND", "LOG",
                                                             "MODEL", "NAME", "WORDS"};
constexpr bool is_positional(std::string_view name) {
  return std::find(positionals.begin(), positionals.end(), name) != positionals.end();
}

/// Whether a line refuses a key, which stays as it was typed: "MODEL" is no positional there.
constexpr bool is_unknown_key(std::string_view after) {
  return after.starts_with(" is not a known field");
}

/// Where the positional is that a line is about, first or after the name of the question: 9 in
/// "catalog: KIND must be"; npos if there is none.
inline std::size_t begin_of_positional(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == line.npos) return line.npos;
  if (is_unknown_key(line.substr(space))) return line.npos;
  if (is_positional(line.substr(0, space))) return 0;
  const std::size_t next = line.find(' ', space + 1);
  const bool follows = line[space - 1] == ':' && next != line.npos &&
                       is_positional(line.substr(space + 1, next - space - 1)) &&
                       !is_unknown_key(line.substr(next));
  return follows ? space + 1 : line.npos;
}

/// The length of the option that a text begins with: 5 of "--gpu H100"; 0 of what is none.
constexpr std::size_t option_length(std::string_view text) {
  if (text.size() < 3 || !text.starts_with("--") || !is_small(text[2])) return 0;
  std::size_t end = 3;
  while (end < text.size() && (is_small(text[end]) || is_digit(text[end]) || text[end] == '-'))
    ++end;
  return end;
}

/// Whether the letter at a place begins or ends what a line quotes: an apostrophe does not.
constexpr bool is_quote(std::string_view line, std::size_t at) {
  if (line[at] == '"') return true;
  return line[at] == '\'' &&
         (at == 0 || !is_small(line[at - 1]) || at + 1 == line.size() || !is_small(line[at + 1]));
}

}  // namespace detail

/// The field of a job that an option sets: "cluster.gpu" for "--gpu", "model" for "--model"; empty
/// of another option, which a question has under "options".
inline std::string place_of_option(std::string_view option) {
  for (const std::string& found :
       {detail::field_with_option(cluster_fields, "cluster", option),
        detail::field_with_option(recipe_fields, "recipe", option),
        detail::field_with_option(parallelism_fields, "parallelism", option),
        detail::field_with_option(workspace_fields, "workspace", option)})
    if (!found.empty()) return found;
  return option == "--model" ? "model" : "";
}

/// The place of an option that is no field of a job: "options.what_if" for "--what-if"; empty of
/// one that a request does not have.
inline std::string place_in_options(std::string_view option) {
  std::string name{option.substr((std::min)(option.find_first_not_of('-'), option.size()))};
  if (name.empty() || is_of_the_command_line(name)) return {};
  std::replace(name.begin(), name.end(), '-', '_');
  return "options." + name;
}

/// The place that a positional has in any request: "model" for "MODEL", "options.kind" for "KIND".
inline std::string place_of_positional(std::string_view name) {
  std::string key;
  for (const char c : name) key += static_cast<char>(c - 'A' + 'a');
  return key == "model" ? key : "options." + key;
}

namespace detail {

/// How long the option or the positional is that a text begins with, and its path in the request;
/// an empty path where it begins with none.
inline std::pair<std::size_t, std::string> name_in(std::string_view text,
                                                   const place_in_request& place) {
  if (const std::size_t length = option_length(text); length > 0) {
    const std::string_view option = text.substr(0, length);
    const std::string known = place(option);
    return {length, known.empty() ? place_of_option(option) : known};
  }
  const std::string_view word = text.substr(0, (std::min)(text.find_first_of(" ,;"), text.size()));
  if (!is_positional(word) || is_unknown_key(text.substr(word.size()))) return {word.size(), {}};
  const std::string known = place(word);
  const bool is_clear = word.size() > 1 && word != "NAME";  // no other word of a line
  return {word.size(), known.empty() && is_clear ? place_of_positional(word) : known};
}

/// What a line says of a file that the request has: "a.sh: --bf16 must be".  The place of the file,
/// and what follows; an empty place where the line is of no file.
inline std::pair<std::string, std::string_view> of_file(std::string_view line,
                                                        const place_in_request& place) {
  constexpr std::size_t longest_name = 512;
  for (std::size_t at = line.find(':'); at != line.npos && at <= longest_name;
       at = line.find(':', at + 1)) {
    const std::string_view head = line.substr(0, at);
    if (option_length(head) > 0 || is_positional(head)) continue;
    if (std::string known = place(head); !known.empty()) return {known, line.substr(at + 1)};
  }
  return {};
}

/// Whether a text is a name as fields have them.
constexpr bool is_field_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_small(c) || is_digit(c) || c == '_' || c == '.';
  });
}

/// "files.p.json.schema" of "p.json.schema" where the request has that file; empty of others.
inline std::string member_of_file(std::string_view where, const place_in_request& place) {
  if (where.find(' ') != where.npos) return {};
  for (std::size_t at = where.find('.'); at != where.npos; at = where.find('.', at + 1))
    if (const std::string file = place(where.substr(0, at)); file.starts_with("files."))
      return file + std::string(where.substr(at));
  return {};
}

/// Where a line of a file is of what stands beside the file, a model: " MODEL", or
/// " config.json: n_layer" of a model that the request has as an object; empty of others.
inline std::string place_inside(std::string_view inside, const place_in_request& place) {
  if (!inside.starts_with(' ')) return {};
  inside.remove_prefix(1);
  if (is_positional(inside)) return place(inside);
  const auto [model, member] = of_file(inside, place);
  if (model != "model") return {};
  const bool is_named = member.starts_with(' ') && is_field_name(member.substr(1));
  return is_named ? model + "." + std::string(member.substr(1)) : model;
}

}  // namespace detail

/// The path in a request of what a line begins with: "recipe.zero" of "recipe: zero", "cluster.gpu"
/// of "--gpu", "model" of "MODEL"; empty of what is none.
///
///     place  of a name that the request itself has given a place: an option, a file, a value
inline std::string path_in_request(std::string_view where, const place_in_request& place) {
  while (where.ends_with(':')) where.remove_suffix(1);
  if (where.empty()) return {};
  if (std::string known = place(where); !known.empty()) return known;
  if (detail::option_length(where) > 0) return place_of_option(where);
  if (detail::is_positional(where)) return place_of_positional(where);
  if (const auto [file, inside] = detail::of_file(where, place); !file.empty()) {
    if (const std::string other = detail::place_inside(inside, place); !other.empty()) return other;
    const bool is_member = inside.starts_with(' ') && detail::is_field_name(inside.substr(1));
    return is_member ? file + "." + std::string(inside.substr(1)) : file;
  }
  constexpr std::size_t longest_path = 512;  // what is longer is text that somebody typed
  if (where.size() > longest_path) return {};
  if (const std::string member = detail::member_of_file(where, place); !member.empty())
    return member;
  const std::size_t colon = detail::without_quoted(where).find(": ");
  if (colon == where.npos)
    return where.find(' ') == where.npos || where.starts_with('"') ? std::string(where)
                                                                   : std::string{};
  const std::string_view head = where.substr(0, colon);
  const std::string_view inner = where.substr(colon + 2);
  const std::string rest = path_in_request(inner, place);
  if (head == "request" || detail::is_positional(inner) || detail::option_length(inner) > 0)
    return rest;
  const std::string part = path_in_request(head, place);
  return rest.empty() || part.empty() ? part : part + "." + rest;
}

/// A line of the program with options and positionals by their places in a request; what the line
/// quotes stays, and where it points to the help of the program it ends.  A line of a file stays as
/// it is: its names are those of the file.
///
///     --level has no effect: --fields answers no request
///     options.level has no effect: options.fields answers no request
inline std::string in_request_words(std::string_view line, const place_in_request& place) {
  if (const std::size_t help = line.rfind("; see gpuplan ");
      help != line.npos && line.ends_with("--help"))
    line = line.substr(0, help);
  const std::size_t at = detail::begin_of_positional(line);
  const std::string_view name =
      at == line.npos ? std::string_view{} : line.substr(at, line.find(' ', at) - at);
  const std::string known = name.empty() ? std::string{} : place(name);
  // A question of one positional has its place, and is no file.
  const std::string file = detail::of_file(line, place).first;
  if (!file.empty() && file != known) return std::string(line);
  std::string all;
  if (at != line.npos) {
    if (!known.empty() || name.size() > 1 || line.ends_with(" is required")) {
      all = known.empty() ? place_of_positional(name) : known;
      line.remove_prefix(at + name.size());
    }
  }
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool begins_word = i > 0 ? line[i - 1] == ' ' || line[i - 1] == '(' : all.empty();
    if (quote != '\0') {
      if (c == '\\' && quote == '"' && i + 1 < line.size())
        all += line[i++];
      else if (c == quote && detail::is_quote(line, i))
        quote = '\0';
    } else if (detail::is_quote(line, i)) {
      quote = c;
    } else if (begins_word) {
      const auto [length, path] = detail::name_in(line.substr(i), place);
      if (!path.empty()) {
        all += path;
        i += length - 1;
        continue;
      }
    }
    all += line[i];
  }
  return all;
}

}  // namespace gpuplan::api
