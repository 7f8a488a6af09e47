#pragma once
/// \file
/// The options of a question: those of a command line, and members of `options` in a request.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gpuplan/api/request_words.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan::api {

/// An option, and the member that holds what was typed.  One of the three members is set.
template <class Owner>
struct question_option {
  std::string_view names;  ///< "--search"; "NAME" of a word that stands alone
  std::string_view help{};
  std::string Owner::*text = nullptr;                ///< one value
  std::vector<std::string> Owner::*texts = nullptr;  ///< any number of them
  bool Owner::*flag = nullptr;                       ///< given or not
};

/// Its form, as requests are read by.
template <class Owner>
option_form form_of(const question_option<Owner>& row) {
  option_form form{.takes = row.flag != nullptr    ? option_values::none
                            : row.texts != nullptr ? option_values::several
                                                   : option_values::one};
  for (std::string_view rest = row.names; !rest.empty();) {
    const std::string_view name = rest.substr(0, rest.find(','));
    if (name.starts_with("--"))
      form.names.emplace_back(name.substr(2));
    else
      form.positional = name;
    rest.remove_prefix(rest.size() > name.size() ? name.size() + 1 : rest.size());
  }
  return form;
}

/// The forms of all.
template <class Rows>
std::vector<option_form> forms_of(const Rows& rows) {
  std::vector<option_form> all;
  for (const auto& row : rows) all.push_back(form_of(row));
  return all;
}

namespace detail {

/// Gives words that stand alone to the rows that take such, in their order.
/// \throws invalid_input of a word that is left
template <class Rows, class Owner>
void take_positionals(std::span<const std::string> words, const Rows& rows, Owner& to) {
  for (const auto& row : rows) {
    const option_form form = form_of(row);
    if (!form.names.empty() || form.positional.empty() || words.empty()) continue;
    if (row.texts != nullptr) {
      (to.*row.texts).assign(words.begin(), words.end());
      return;
    }
    to.*row.text = words.front();
    words = words.subspan(1);
  }
  if (words.empty()) return;
  std::string left;  // the last one first, as a command line says them
  for (const std::string& one : words) left = ' ' + one + left;
  throw invalid_input{std::string("The following argument") +
                      (words.size() > 1 ? "s were" : " was") + " not expected:" + left};
}

}  // namespace detail

/// What a request gave the options.
/// \throws bad_request of a word that lacks the one before it, invalid_input of one too many
template <class Owner, class Rows>
Owner typed_options(const request_words& words, const Rows& rows) {
  Owner typed;
  for (const given_option& one : words.given())
    for (const auto& row : rows) {
      if (form_of(row) != *one.form) continue;
      if (row.flag != nullptr)
        typed.*row.flag = true;
      else if (row.texts != nullptr)
        (typed.*row.texts).assign(one.values.begin(), one.values.end());
      else
        typed.*row.text = one.values.front();
    }
  const std::vector<std::string> positionals = words.positionals();
  detail::take_positionals(std::span<const std::string>{positionals}, rows, typed);
  return typed;
}

}  // namespace gpuplan::api
