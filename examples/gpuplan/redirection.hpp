#pragma once
/// \file
/// Files and streams in memory, for a caller within the process in place of the machine's.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gpuplan::cli {

/// What the program reads and writes while a caller within the process has it answer.
struct redirection {
  std::map<std::string, std::string, std::less<>> files{};  ///< by path; "-" is standard input
  std::string output{};                                     ///< what was printed
  std::vector<std::string> said{};                          ///< lines for standard error
  std::string page_path{};                                  ///< of --html; empty: no page
  std::string page{};                                       ///< what was written there
  /// Options, with their hyphens, that are fields of a request: one without effect is accepted.
  std::set<std::string, std::less<>> fields{};

  /// A file by its path; nullptr where the caller gave none of that name.
  [[nodiscard]] const std::string* file(std::string_view path) const;
};

/// That of this thread; nullptr where the program has the machine's files and streams.
redirection* redirected();

/// Redirects this thread until the end of its scope: no file of the machine is opened, and nothing
/// is written to it; a page is kept, where its path is that of the redirection.
class redirected_scope {
 public:
  explicit redirected_scope(redirection& to);
  ~redirected_scope();
  redirected_scope(const redirected_scope&) = delete;
  redirected_scope& operator=(const redirected_scope&) = delete;

 private:
  redirection* before_;
};

}  // namespace gpuplan::cli
