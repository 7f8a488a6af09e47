#include "support/allocations.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

thread_local std::int64_t count = 0;

constexpr std::align_val_t usual{__STDCPP_DEFAULT_NEW_ALIGNMENT__};

/// Memory, or nothing if there is none.
void* try_allocate(std::size_t size, std::align_val_t alignment) noexcept {
  ++count;
  // A multiple of the alignment, as aligned_alloc asks, and never nothing.
  const auto step = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(step, (size / step + 1) * step);
}

void* allocate(std::size_t size, std::align_val_t alignment) {
  if (void* memory = try_allocate(size, alignment)) return memory;
  throw std::bad_alloc{};
}

}  // namespace

std::int64_t gpuplan::testing::allocations() {
  return count;
}

// Every form, as a sanitizer's own would not agree with these on who gives memory back.
void* operator new(std::size_t size) {
  return allocate(size, usual);
}
void* operator new[](std::size_t size) {
  return allocate(size, usual);
}
void* operator new(std::size_t size, std::align_val_t a) {
  return allocate(size, a);
}
void* operator new[](std::size_t size, std::align_val_t a) {
  return allocate(size, a);
}

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return try_allocate(size, usual);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return try_allocate(size, usual);
}
void* operator new(std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
  return try_allocate(size, a);
}
void* operator new[](std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
  return try_allocate(size, a);
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(memory);
}
