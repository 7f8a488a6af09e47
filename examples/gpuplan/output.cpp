/// \file
/// Standard output, colour and progress.

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

#include "program.hpp"

namespace gpuplan::cli {
namespace {

bool colour_forbidden = false;

[[noreturn]] void give_up() {
  if (errno == EPIPE) throw reader_gone{};
  throw output_lost{std::string("cannot write the output: ") + std::strerror(errno)};
}

bool says(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool is_dumb() {
  const char* terminal = std::getenv("TERM");
  return terminal == nullptr || std::string_view(terminal) == "dumb";
}

}  // namespace

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) give_up();
}

void print_json(const report_json& answer) {
  print(answer.dump(2, ' ', false, report_json::error_handler_t::replace) + '\n');
}

void finish_output() {
  if (std::fflush(stdout) != 0) give_up();
}

void write_file(const std::string& path, std::string_view text) {
  errno = 0;
  const auto fail = [&] {
    throw output_lost{"cannot write " + path + ": " + std::strerror(errno)};
  };
  const auto close = [](std::FILE* file) { std::fclose(file); };
  std::unique_ptr<std::FILE, decltype(close)> file{std::fopen(path.c_str(), "wb"), close};
  if (!file) fail();
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) fail();
  if (std::fclose(file.release()) != 0) fail();
}

text_style style_of_output() {
  const bool allowed = !colour_forbidden && !says("NO_COLOR") && !is_dumb();
  return allowed && isatty(STDOUT_FILENO) == 1 ? text_style::terminal : text_style::plain;
}

void forbid_colour() {
  colour_forbidden = true;
}

struct progress::ticker {
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  std::thread thread;

  void run(const std::string& work) {
    using clock = std::chrono::steady_clock;
    const auto began = clock::now();
    bool shown = false;
    std::unique_lock lock{mutex};
    while (!ended.wait_for(lock, std::chrono::seconds{1}, [&] { return done; })) {
      const auto passed = std::chrono::duration_cast<std::chrono::seconds>(clock::now() - began);
      std::fprintf(stderr, "\r%s, %lld s ", work.c_str(), static_cast<long long>(passed.count()));
      shown = true;
    }
    if (shown) std::fprintf(stderr, "\r%*s\r", static_cast<int>(work.size()) + 12, "");
  }
};

progress::progress(std::string_view work) : ticker_{nullptr} {
  if (isatty(STDERR_FILENO) != 1 || is_dumb()) return;
  auto made = std::make_unique<ticker>();
  made->thread = std::thread{[t = made.get(), text = std::string(work)] { t->run(text); }};
  ticker_ = made.release();
}

progress::~progress() {
  if (ticker_ == nullptr) return;
  {
    const std::lock_guard lock{ticker_->mutex};
    ticker_->done = true;
  }
  ticker_->ended.notify_one();
  ticker_->thread.join();
  delete ticker_;
}

}  // namespace gpuplan::cli
