/// \file
/// Names, files and numbers as the user gives them.

#include "inputs.hpp"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include <gpuplan/api/request_files.hpp>
#include <gpuplan/text/json_text.hpp>

#include "redirection.hpp"

namespace gpuplan::cli {
namespace {

struct closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void unreadable(const std::string& path, const std::string& why) {
  throw bad_usage{path + ": " + why};
}

}  // namespace

std::string read_file(const std::string& path, std::string_view what) {
  namespace fs = std::filesystem;
  constexpr std::uintmax_t most = largest_json_text;
  const std::string too_long =
      "is longer than " + std::to_string(most >> 20) + " MiB, so it is no " + std::string(what);
  if (const redirection* const from = redirected()) return api::text_of(from->files, path, what);
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (status.type() == fs::file_type::not_found) unreadable(path, "there is no such file");
  if (failed) unreadable(path, failed.message());
  if (fs::is_directory(status))
    unreadable(path, "is a directory; name the " + std::string(what) + " in it");
  if (fs::is_regular_file(status) && fs::file_size(path, failed) > most && !failed)
    unreadable(path, too_long);

  const std::unique_ptr<std::FILE, closer> file{std::fopen(path.c_str(), "rb")};
  if (!file) unreadable(path, std::strerror(errno));
  std::string text;
  char part[1 << 16];
  while (const std::size_t size = std::fread(part, 1, sizeof part, file.get())) {
    text.append(part, size);
    if (text.size() > most) unreadable(path, too_long);
  }
  if (std::ferror(file.get()) != 0) unreadable(path, std::strerror(errno));
  return text;
}

void say_notes(const named_transformer& found) {
  for (const std::string& note : found.notes) say(note);
}

namespace {

api::path_kind kind_of_path(const std::string& path) {
  using api::path_kind;
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed)) return path_kind::folder;
  return std::filesystem::exists(path, failed) ? path_kind::file : path_kind::nothing;
}

}  // namespace

api::file_source program_files() {
  if (const redirection* const from = redirected()) return api::source_of(from->files);
  return {.kind = kind_of_path, .read = read_file};
}

named_transformer find_model_or_file(const std::string& name_or_path, const std::string& said_by) {
  return api::find_model_or_file(name_or_path, program_files(), said_by);
}

}  // namespace gpuplan::cli
