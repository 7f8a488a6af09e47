#pragma once
/// \file
/// Why a request is refused, as data: what, where, what is allowed, what may be meant.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gpuplan/require.hpp>

namespace gpuplan::api {

/// The parts of a line that refuses a request.
struct refusal {
  std::string what;                             ///< the line
  std::string where{};                          ///< "recipe: zero"; empty: not known
  std::vector<std::string> allowed{};           ///< names; none: not known, or in words
  std::optional<std::string> allowed_in_words;  ///< "1 to 64", "integer"; of what is no name
  std::vector<std::string> did_you_mean{};      ///< names that are close to what was asked
};

namespace detail {

/// The parts of a text between separators.
inline std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

/// A line with what it quotes left blank, so that no word of a request passes for one of the line.
inline std::string without_quoted(std::string_view line) {
  std::string all(line);
  bool quoted = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (quoted && line[i] == '\\' && i + 1 < all.size()) {
      all[i] = all[i + 1] = '_';
      ++i;
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (quoted) {
      all[i] = '_';
    }
  }
  return all;
}

/// What stands between two words of a text; nothing where they do not.
inline std::optional<std::string_view> between(std::string_view text, std::string_view begin,
                                               std::string_view end) {
  const std::string words = without_quoted(text);
  const auto from = words.find(begin);
  if (from == words.npos) return std::nullopt;
  const auto to = words.find(end, from + begin.size());
  if (to == words.npos) return std::nullopt;
  return text.substr(from + begin.size(), to - from - begin.size());
}

/// "--gpu" of "--gpu must be ..." or "--gpu: ...", "recipe: zero" of "recipe: zero must be ...".
inline std::string_view where_of(std::string_view line) {
  if (line.starts_with("--")) return line.substr(0, line.find_first_of(" :,"));
  constexpr std::string_view relations[] = {" must ", " is not a known field", " is missing",
                                            " has no effect", " is required"};
  const std::string words = without_quoted(line);
  for (const std::string_view relation : relations)
    if (const auto at = words.find(relation); at != words.npos) return line.substr(0, at);
  const auto at = words.find(": ");
  return at != line.npos ? line.substr(0, at) : std::string_view{};
}

/// The names of "must be one of a, b or c, not d"; none of another line.
inline std::vector<std::string> allowed_names_of(std::string_view line) {
  const auto names = between(line, " must be one of ", ", not ");
  if (!names) return {};
  std::vector<std::string> all = split(*names, ", ");
  if (const auto last = split(all.back(), " or "); last.size() == 2) {
    all.back() = last[0];
    all.push_back(last[1]);
  }
  return all;
}

/// ">= 0" of "must be >= 0", "from 0 to 1" of "must be from 0 to 1": a relation that ends a line;
/// nothing of another line.
inline std::optional<std::string> relation_at_end(std::string_view line) {
  constexpr std::string_view must = " must be ";
  const auto at = without_quoted(line).find(must);
  if (at == line.npos) return std::nullopt;
  const std::string_view words = line.substr(at + must.size());
  const bool is_relation =
      words.starts_with('<') || words.starts_with('>') || words.starts_with("from ");
  if (!is_relation || words.find_first_of(";,:") != words.npos) return std::nullopt;
  return std::string(words);
}

/// "integer" of "must be an integer, not 1.5"; nothing of a line that says no such thing.
inline std::optional<std::string> allowed_words_of(std::string_view line) {
  if (auto words = between(line, " must be ", ", not ")) {
    for (const std::string_view article : {"a ", "an "})
      if (words->starts_with(article)) {
        words->remove_prefix(article.size());
        break;
      }
    return std::string(*words);
  }
  if (auto words = relation_at_end(line)) return words;
  constexpr std::string_view written = "; write it as ";
  if (const auto at = without_quoted(line).find(written); at != line.npos)
    return std::string(line.substr(at + written.size()));
  return std::nullopt;
}

}  // namespace detail

/// The parts of a line such as "WHERE must be one of ALLOWED, not X; did you mean A or B?" or
/// "WHERE: why".  What the line does not say is empty.
inline refusal refusal_of(std::string_view line) {
  refusal why{.what = std::string(line),
              .where = std::string(detail::where_of(line)),
              .allowed = detail::allowed_names_of(line),
              .allowed_in_words = std::nullopt};
  if (why.allowed.empty()) why.allowed_in_words = detail::allowed_words_of(line);
  if (const auto names = detail::between(line, "; did you mean ", "?"))
    why.did_you_mean = detail::split(*names, " or ");
  return why;
}

/// A request that cannot be answered; its line, and the parts of it.
class invalid_request : public invalid_input {
 public:
  explicit invalid_request(const std::string& line) : invalid_input{line}, why_{refusal_of(line)} {}

  /// The parts of what().
  [[nodiscard]] const refusal& why() const { return why_; }

 private:
  refusal why_;
};

}  // namespace gpuplan::api
