/// \file
/// Files and streams in memory.

#include "redirection.hpp"

#include <utility>

namespace gpuplan::cli {
namespace {

thread_local redirection* current = nullptr;

}  // namespace

const std::string* redirection::file(std::string_view path) const {
  const auto found = files.find(path);
  return found != files.end() ? &found->second : nullptr;
}

redirection* redirected() {
  return current;
}

redirected_scope::redirected_scope(redirection& to) : before_{std::exchange(current, &to)} {}

redirected_scope::~redirected_scope() {
  current = before_;
}

}  // namespace gpuplan::cli
