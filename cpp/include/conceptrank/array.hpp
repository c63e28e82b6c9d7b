// Array: a vector for data that may be large. It differs in two ways. Elements that `resize` adds
// are left as they are: a large array is written once, by all threads, and not filled with zeros by
// one of them first. And where it fills a huge page, its memory is asked for in huge pages: reading it
// here and there then misses the translation of addresses less often, and its first touch is one
// interruption for 2 MiB instead of 512.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace conceptrank {

template <class T>
class LargeAllocator {
 public:
  using value_type = T;

  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) {}  // NOLINT: allocators convert

  T* allocate(std::size_t n) {
    const std::size_t huge = huge_bytes(n);
    if (huge == 0) return std::allocator<T>().allocate(n);
    void* memory = ::operator new(std::max(n * sizeof(T), huge), std::align_val_t{huge_page});
#ifdef __linux__
    // A refusal changes nothing but the speed.
    madvise(memory, huge, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t n) {
    if (huge_bytes(n) == 0) {
      std::allocator<T>().deallocate(memory, n);
    } else {
      ::operator delete(memory, std::align_val_t{huge_page});
    }
  }

  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    if constexpr (sizeof...(Arguments) == 0) {
      ::new (static_cast<void*>(place)) U;
    } else {
      ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
    }
  }

  template <class U>
  bool operator==(const LargeAllocator<U>&) const {
    return true;
  }

 private:
  static constexpr std::size_t huge_page = std::size_t{1} << 21;

  /// What lies in huge pages: the last one only if most of it is used.
  static std::size_t huge_bytes(std::size_t n) {
    return (n * sizeof(T) + huge_page / 4) / huge_page * huge_page;
  }
};

template <class T>
using Array = std::vector<T, LargeAllocator<T>>;

}  // namespace conceptrank
