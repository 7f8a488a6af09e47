#pragma once
/// \file
/// An allocator that only counts: named tensors that are made and freed, and the fullest moment.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::testing {

/// Tensors of one name that are alive at the same time.
struct alive_tensors {
  std::string name;
  int count = 0;
  bytes size{};  ///< of all of them
};

/// Counts tensors as an allocator does that never fragments.
class ledger {
 public:
  using account = std::size_t;  ///< of all tensors of one name
  using handle = std::ptrdiff_t;
  static constexpr handle nothing = -1;

  [[nodiscard]] account account_of(std::string_view name) {
    for (account i = 0; i < now_.size(); ++i)
      if (now_[i].name == name) return i;
    now_.push_back({std::string{name}, 0, bytes{0}});
    return now_.size() - 1;
  }

  /// Counts tensors of a name as nothing from now on.
  void leave_out(std::string_view name) { left_out_ = static_cast<handle>(account_of(name)); }

  [[nodiscard]] handle make(account of, bytes size) {
    if (static_cast<handle>(of) == left_out_) size = bytes{0};
    now_[of].count += 1;
    now_[of].size += size;
    total_ += size;
    if (total_ > peak_) {
      peak_ = total_;
      is_new_peak_ = true;
    }
    if (unused_.empty()) {
      tensors_.push_back({of, size, true});
      return static_cast<handle>(tensors_.size()) - 1;
    }
    const handle place = unused_.back();
    unused_.pop_back();
    at(place) = {of, size, true};
    return place;
  }
  [[nodiscard]] handle make(std::string_view name, bytes size) {
    return make(account_of(name), size);
  }

  /// Frees a tensor, and marks its handle; a handle of nothing stays so.
  ///
  /// \throws invalid_input if the tensor was freed before
  void release(handle& place) {
    if (place == nothing) return;
    tensor& freed = at(place);
    require(freed.alive, "ledger: a tensor must be freed once");
    if (is_new_peak_) {
      at_peak_ = now_;
      is_new_peak_ = false;
    }
    now_[freed.of].count -= 1;
    now_[freed.of].size -= freed.size;
    total_ -= freed.size;
    freed.alive = false;
    unused_.push_back(place);
    place = nothing;
  }

  [[nodiscard]] bytes total() const { return total_; }
  [[nodiscard]] bytes peak() const { return peak_; }
  [[nodiscard]] std::size_t alive() const { return tensors_.size() - unused_.size(); }

  /// What is alive at the fullest moment, the first of equals; the largest first.
  [[nodiscard]] std::vector<alive_tensors> at_peak() const {
    std::vector<alive_tensors> all = is_new_peak_ ? now_ : at_peak_;
    std::erase_if(all,
                  [](const alive_tensors& one) { return one.count == 0 || one.size == bytes{0}; });
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.size > b.size; });
    return all;
  }

 private:
  struct tensor {
    account of{};
    bytes size{};
    bool alive = false;
  };
  tensor& at(handle place) { return tensors_[static_cast<std::size_t>(place)]; }

  std::vector<tensor> tensors_;
  std::vector<handle> unused_;
  std::vector<alive_tensors> now_;
  std::vector<alive_tensors> at_peak_;
  bytes total_{};
  bytes peak_{};
  bool is_new_peak_ = false;
  handle left_out_ = nothing;
};

}  // namespace gpuplan::testing
