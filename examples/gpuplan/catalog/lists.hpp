#pragma once
/// \file
/// The lists of `gpuplan catalog`.

#include <span>
#include <string_view>
#include <vector>

#include <gpuplan/report/json.hpp>
#include <gpuplan/report/table.hpp>

namespace gpuplan::cli {

/// All entries of one kind.
struct catalog_list {
  std::string_view kind;
  std::vector<table> (*text)();  ///< one table, or two where some entries differ
  report_json (*json)();         ///< an array
};

/// In the order in which they are printed.
std::span<const catalog_list> catalog_lists();

}  // namespace gpuplan::cli
