#pragma once
/// \file
/// The lists of `gpuplan catalog` for people.

#include <string_view>
#include <vector>

#include <gpuplan/report/table.hpp>

namespace gpuplan::cli {

/// All entries of a kind of api::catalog_lists: one table, or two where some entries differ.
std::vector<table> tables_of(std::string_view kind);

}  // namespace gpuplan::cli
