#include "support/allocations.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

thread_local std::int64_t count = 0;

void* allocate(std::size_t size, std::size_t alignment) {
  ++count;
  // A multiple of the alignment, as aligned_alloc asks, and never nothing.
  const std::size_t rounded = (size / alignment + 1) * alignment;
  if (void* memory = std::aligned_alloc(alignment, rounded)) return memory;
  throw std::bad_alloc{};
}

}  // namespace

std::int64_t gpuplan::testing::allocations() {
  return count;
}

// The array and nothrow forms of the standard library call these.
void* operator new(std::size_t size) {
  return allocate(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
