#pragma once
/// \file
/// Words and operators of a shell text.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/text/json_scalar.hpp>

namespace gpuplan {

/// How much of a word the shell still looks into.
enum class shell_quoting {
  none,    ///< variables are put in, and what they hold is split at blanks
  split,   ///< variables are put in, as in "$NAME"
  literal  ///< nothing is put in, as in '$NAME'
};

/// A word, or an operator: ; & | && || |& ( ) and the end of a line.
struct shell_word {
  std::string text{};
  bool is_operator = false;
  shell_quoting quoting = shell_quoting::none;
  std::size_t line = 0;  ///< on which a word begins, from 1; 0: of an operator

  [[nodiscard]] bool is(std::string_view sign) const { return is_operator && text == sign; }
};

namespace detail {

/// Whether the name of a variable may have this character.
inline bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The longest ${...}, $(...) or `...` that is kept whole, in bytes.
inline constexpr std::size_t longest_substitution = 4096;

/// Where ${...}, $(...) or `...` that begins at `from` ends, past its last character; `from` where
/// none begins there, or where it is not closed.
inline std::size_t end_of_substitution(std::string_view all, std::size_t from) {
  const std::string_view text = all.substr(from, longest_substitution);
  if (text[0] == '`') {
    const std::size_t close = text.find('`', 1);
    return close == text.npos ? from : from + close + 1;
  }
  if (text[0] != '$' || text.size() < 2 || (text[1] != '(' && text[1] != '{')) return from;
  const char open = text[1];
  const char close = open == '(' ? ')' : '}';
  int depth = 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == open) {
      ++depth;
    } else if (text[i] == close && --depth == 0) {
      return from + i + 1;
    }
  }
  return from;
}

/// Where ((...)) that begins at `from` ends, past its last character; `from` where none begins
/// there: commands in parentheses may begin with two of these.
inline std::size_t end_of_sum(std::string_view all, std::size_t from) {
  const std::string_view text = all.substr(from, longest_substitution);
  constexpr int deepest = 64;
  int depth = 0;
  if (!text.starts_with("((")) return from;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '(' && ++depth > deepest) return from;
    if (text[i] == ')' && --depth == 1) return text[i + 1] == ')' ? from + i + 2 : from;
  }
  return from;
}

/// Takes a shell text apart.
class shell_tokenizer {
 public:
  shell_tokenizer(std::string_view text, std::string_view name) : text_{text}, name_{name} {}

  std::vector<shell_word> read() {
    while (at_ < text_.size()) take();
    if (quote_ != 0) throw invalid_input{std::string(name_) + ": a quote is not closed"};
    end_word();
    return std::move(words_);
  }

 private:
  void take() {
    const char c = text_[at_];
    if (!begun_) word_begin_ = at_;
    if (quote_ != 0) return take_quoted(c);
    if (c == '"' || c == '\'') return begin_quote(c);
    if (c == '\\' && at_ + 1 < text_.size()) return take_escaped();
    if (c == '#' && !begun_) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (take_substitution()) {
      begun_ = true;
    } else if (c == '\n' || is_blank(c)) {
      end_word();
      if (c == '\n') add_operator("\n");
      ++at_;
    } else if (take_sum()) {
      begun_ = true;
    } else if (c == '(' || c == ')') {
      take_bracket(c);
    } else if (!in_list_ && (c == ';' || c == '|' || c == '&')) {
      take_sign(c);
    } else {
      if (c == '>' && !word_.starts_with('<') && !is_descriptor()) end_word();
      add(c);
    }
  }

  void take_quoted(char c) {
    if (c == quote_) {
      quote_ = 0;
      ++at_;
    } else if (quote_ == '"' && c == '\\' && at_ + 1 < text_.size() &&
               std::string_view("\"\\`\n").find(text_[at_ + 1]) != std::string_view::npos) {
      if (text_[at_ + 1] != '\n') word_ += text_[at_ + 1];
      at_ += 2;
    } else if (quote_ == '\'' || !take_substitution()) {
      add(c);
    }
  }

  void begin_quote(char c) {
    quote_ = c;
    begun_ = true;
    if (c == '\'') quoting_ = shell_quoting::literal;
    if (c == '"' && quoting_ == shell_quoting::none) quoting_ = shell_quoting::split;
    ++at_;
  }

  void take_escaped() {
    char next = text_[++at_];
    ++at_;
    if (next == '\r' && at_ < text_.size()) next = text_[at_++];
    if (next == '\n' || next == '\r') return;
    word_ += next;
    begun_ = true;
  }

  bool take_substitution() {
    const std::size_t end = end_of_substitution(text_, at_);
    if (end == at_) return false;
    word_ += text_.substr(at_, end - at_);
    at_ = end;
    return true;
  }

  /// ((...)) is a word where a command may begin, or what for counts.
  bool take_sum() {
    if (begun_ || in_list_ || !begins_command()) return false;
    const std::size_t end = end_of_sum(text_, at_);
    word_ += text_.substr(at_, end - at_);
    return end != std::exchange(at_, end);
  }

  [[nodiscard]] bool begins_command() const {
    if (words_.empty() || words_.back().is_operator) return true;
    for (const char* name : {"if", "elif", "then", "else", "while", "until", "do", "!", "{", "for"})
      if (words_.back().quoting == shell_quoting::none && words_.back().text == name) return true;
    return false;
  }

  /// ( begins NAME=( ... ) after a sign of equality, and a command of its own where a command may
  /// begin; elsewhere it is a part of its word, up to its ).
  void take_bracket(char c) {
    const bool lists = c == '(' && word_.ends_with('=');
    const bool begins =
        c == '(' && !begun_ && !in_list_ && (words_.empty() || words_.back().is_operator);
    if (lists || begins || (c == ')' && open_ == 0)) {
      end_word();
      add_operator(std::string(1, c));
      in_list_ = lists;
      ++at_;
      return;
    }
    open_ += c == '(' ? 1 : -1;
    add(c);
  }

  void take_sign(char c) {
    const bool redirects = c == '&' && at_ + 1 < text_.size() && text_[at_ + 1] == '>';
    if (redirects) end_word();
    if (redirects || (c != ';' && word_.ends_with('>'))) return add(c);
    end_word();
    std::string sign(1, c);
    ++at_;
    while (at_ < text_.size() && sign.size() < 2 && (text_[at_] == c || text_[at_] == '&'))
      sign += text_[at_++];
    add_operator(sign);
  }

  /// Whether the word so far is what may stand before >: a number, & or another >.
  [[nodiscard]] bool is_descriptor() const {
    return word_.size() <= 3 && word_.find_first_not_of("0123456789&>") == word_.npos;
  }

  void add(char c) {
    word_ += c;
    begun_ = true;
    ++at_;
  }

  void add_operator(std::string sign) { words_.push_back({std::move(sign), true}); }

  /// Lines are counted once, from the last word to this one.
  std::size_t line_of_word() {
    for (; counted_ < word_begin_; ++counted_)
      if (text_[counted_] == '\n') ++line_;
    return line_;
  }

  void end_word() {
    if (begun_) words_.push_back({std::exchange(word_, {}), false, quoting_, line_of_word()});
    begun_ = false;
    quoting_ = shell_quoting::none;
    open_ = 0;
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t at_ = 0;
  std::size_t word_begin_ = 0;
  std::size_t counted_ = 0;  // characters whose ends of lines line_ has
  std::size_t line_ = 1;
  std::vector<shell_word> words_{};
  std::string word_{};
  bool begun_ = false;
  bool in_list_ = false;  ///< between the brackets of NAME=( ... )
  int open_ = 0;          ///< brackets of the word that are not closed
  char quote_ = 0;
  shell_quoting quoting_ = shell_quoting::none;
};

}  // namespace detail

/// Words of a shell text: blanks part them, quotes keep them whole, # begins a comment, and a
/// backslash goes on with the next line.  ${...}, $(...), `...` and ((...)) stay as they are
/// written.
///
/// \throws invalid_input of one line if a quote is not closed
inline std::vector<shell_word> shell_words(std::string_view text, std::string_view name) {
  return detail::shell_tokenizer{text, name}.read();
}

}  // namespace gpuplan
