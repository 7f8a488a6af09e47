/// \file
/// Files that answers are written to.

#include "output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "program.hpp"
#include "redirection.hpp"

namespace gpuplan::cli {
namespace {

using file_status = struct stat;

[[noreturn]] void fail(const std::string& path, int error) {
  throw output_lost{"cannot write " + path + ": " + std::strerror(error)};
}

std::optional<file_status> status_of(const std::string& path) {
  file_status found{};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return found;
}

std::optional<file_status> status_of(int descriptor) {
  file_status found{};
  if (::fstat(descriptor, &found) != 0) return std::nullopt;
  return found;
}

bool is_same(const file_status& a, const std::optional<file_status>& b) {
  return b && a.st_dev == b->st_dev && a.st_ino == b->st_ino;
}

/// What stands where a path leads to, and how it is written.
struct destination {
  std::string path;                  ///< links followed
  std::optional<file_status> found;  ///< none: a new file
  std::FILE* stream = nullptr;       ///< standard output or error, where that is the file

  [[nodiscard]] bool in_place() const { return found && !S_ISREG(found->st_mode); }
  [[nodiscard]] std::string folder() const {
    const std::string parent = std::filesystem::path(path).parent_path();
    return parent.empty() ? "." : parent;
  }
};

destination destination_of(const std::string& path) {
  destination to{.path = path, .found = status_of(path)};
  if (!to.found && errno != ENOENT) fail(path, errno);
  if (to.found && S_ISDIR(to.found->st_mode)) fail(path, EISDIR);
  if (to.found && is_same(*to.found, status_of(STDOUT_FILENO))) to.stream = stdout;
  if (to.found && is_same(*to.found, status_of(STDERR_FILENO))) to.stream = stderr;
  if (to.stream != nullptr || to.in_place()) return to;
  constexpr int most_links = 40;
  for (int links = 0; links < most_links; ++links) {
    std::error_code no_link;
    const std::filesystem::path link = std::filesystem::read_symlink(to.path, no_link);
    if (no_link) return to;
    to.path = link.is_absolute() ? link : std::filesystem::path(to.path).parent_path() / link;
  }
  fail(path, ELOOP);
}

/// Signals that end the program wait for the end of its scope, so that no temporary file is left.
class held_signals {
 public:
  held_signals() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, signal);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~held_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  held_signals(const held_signals&) = delete;
  held_signals& operator=(const held_signals&) = delete;

 private:
  sigset_t before_{};
};

/// A file beside another one, removed unless it takes that one's place.
class temporary_file {
 public:
  temporary_file(const destination& to, const std::string& name) : name_{name} {
    constexpr int most_tries = 100;
    for (int i = 0; i < most_tries && descriptor_ < 0; ++i) {
      path_ = to.folder() + "/.gpuplan-" + std::to_string(::getpid()) + "-" + std::to_string(i);
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor_ < 0 && errno != EEXIST) break;
    }
    if (descriptor_ < 0) fail(name_, errno);
  }
  ~temporary_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(name_, errno);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void replace(const destination& to) {
    if (to.found) {
      // The owner stays where that is allowed; the mode is that of the file, whoever owns it.
      static_cast<void>(::fchown(descriptor_, to.found->st_uid, to.found->st_gid) == 0);
      if (::fchmod(descriptor_, to.found->st_mode & 07777) != 0) fail(name_, errno);
    }
    if (::fsync(descriptor_) != 0 && errno != EINVAL) fail(name_, errno);
    if (::close(std::exchange(descriptor_, -1)) != 0) fail(name_, errno);
    if (::rename(path_.c_str(), to.path.c_str()) != 0) fail(name_, errno);
    path_.clear();
  }

 private:
  std::string name_;  ///< as the user calls the file
  std::string path_;
  int descriptor_ = -1;
};

void write_in_place(const destination& to, std::string_view text, const std::string& name) {
  const auto close = [](std::FILE* file) { std::fclose(file); };
  std::unique_ptr<std::FILE, decltype(close)> opened{nullptr, close};
  std::FILE* file = to.stream;
  if (file == nullptr) {
    opened.reset(std::fopen(to.path.c_str(), "wb"));
    file = opened.get();
  }
  if (file == nullptr || std::fwrite(text.data(), 1, text.size(), file) != text.size() ||
      std::fflush(file) != 0)
    fail(name, errno);
}

}  // namespace

void require_writable(std::string_view option, const std::string& path,
                      std::span<const std::string> inputs) {
  if (const redirection* const to = redirected()) {
    if (!path.empty() && path == to->page_path) return;
    throw bad_usage{std::string(option) + ": only the command line writes files"};
  }
  if (path == "-") throw bad_usage{std::string(option) + ": must be a file, not -"};
  const destination to = destination_of(path);
  if (to.found && S_ISREG(to.found->st_mode))
    for (const std::string& input : inputs)
      if (is_same(*to.found, input == "-" ? status_of(STDIN_FILENO) : status_of(input)))
        throw bad_usage{std::string(option) + ": " + path + " is the input " +
                        (input == "-" ? "standard input" : input) + "; name another file"};
  if (to.found && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) fail(path, errno);
  if (to.stream != nullptr || to.in_place()) return;
  const held_signals held;
  temporary_file{to, path};
}

bool is_same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (a == b || fs::equivalent(a, b, failed)) return true;
  // Where nothing of a relative path is there, weakly_canonical alone leaves it relative.
  const auto whole = [&](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(destination_of(path).path, failed), failed);
  };
  const fs::path first = whole(a);
  if (failed) return false;
  const fs::path second = whole(b);
  return !failed && first == second;
}

void write_file(const std::string& path, std::string_view text) {
  if (redirection* const to = redirected()) {
    if (path.empty() || path != to->page_path)
      throw output_lost{path + ": only the command line writes files"};
    to->page = text;
    return;
  }
  const destination to = destination_of(path);
  if (to.stream != nullptr || to.in_place()) return write_in_place(to, text, path);
  const held_signals held;
  temporary_file made{to, path};
  made.write(text);
  made.replace(to);
}

}  // namespace gpuplan::cli
