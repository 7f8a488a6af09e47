#pragma once
/// \file
/// The options of a table of fields.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include <gpuplan/api/typed_field.hpp>
#include <gpuplan/model/field.hpp>

#include "field_text.hpp"

namespace gpuplan::cli {

/// Which rows of a table become options.
enum class field_rows { usual, seldom };

/// The options of the rows of a table, as typed; empty where not given.
template <class Owner>
class typed_fields {
 public:
  explicit typed_fields(std::span<const field<Owner>> rows) : rows_{rows}, typed_(rows.size()) {}

  [[nodiscard]] std::span<const field<Owner>> rows() const { return rows_; }
  /// By its key in JSON.
  [[nodiscard]] std::string& operator[](std::string_view key) {
    return typed_.at(place_of_field(rows_, key));
  }
  [[nodiscard]] const std::string& operator[](std::string_view key) const {
    return typed_.at(place_of_field(rows_, key));
  }

  /// Adds one option; an empty group is that of the command itself.
  void add(CLI::App& command, std::string_view key, const std::string& group,
           std::string_view usual) {
    const field<Owner>& row = rows_[place_of_field(rows_, key)];
    CLI::Option* added =
        command.add_option(std::string(row.option), (*this)[key], help_of(row, usual));
    if (!group.empty()) added->group(group);
  }
  void add(CLI::App& command, std::string_view key, const std::string& group) {
    add(command, key, group, usual_in_words(rows_[place_of_field(rows_, key)]));
  }
  void add(CLI::App& command, field_rows which, const std::string& group) {
    for (const field<Owner>& row : rows_)
      if (row.seldom == (which == field_rows::seldom)) add(command, row.key, group);
  }

  /// Sets what was given; names of catalogues are left to the caller.
  /// \throws invalid_input
  void read(Owner& to) const {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (!typed_[i].empty()) api::read_typed(rows_[i], typed_[i], to);
  }

 private:
  std::span<const field<Owner>> rows_;
  std::vector<std::string> typed_;
};

}  // namespace gpuplan::cli
