#pragma once
/// \file
/// A thread that counts intervals while other work goes on.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace gpuplan::cli {

/// Calls `shown` with 1, 2, 3 ... at the end of each interval of its life, from a thread of its
/// own, and `ended` with the last of them: never where no interval passed.
class ticker {
 public:
  ticker(std::chrono::milliseconds interval, std::function<void(int)> shown,
         std::function<void(int)> ended)
      : shown_{std::move(shown)}, ended_{std::move(ended)}, thread_{[this, interval] {
          run(interval);
        }} {}
  ticker(const ticker&) = delete;
  ticker& operator=(const ticker&) = delete;
  ~ticker() {
    {
      const std::lock_guard lock{mutex_};
      done_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

 private:
  void run(std::chrono::milliseconds interval) {
    int count = 0;
    std::unique_lock lock{mutex_};
    while (!wake_.wait_for(lock, interval, [&] { return done_; })) shown_(++count);
    if (count > 0) ended_(count);
  }

  std::function<void(int)> shown_;
  std::function<void(int)> ended_;
  std::mutex mutex_{};
  std::condition_variable wake_{};
  bool done_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace gpuplan::cli
