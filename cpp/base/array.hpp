// Array: a vector whose `resize` leaves new elements uninitialised. All threads write a large array
// once, so no single thread has to fill it with zeros first.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace conceptrank {

template <class T>
struct UnsetAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UnsetAllocator<U>;
  };

  UnsetAllocator() = default;
  template <class U>
  UnsetAllocator(const UnsetAllocator<U>&) {}  // NOLINT: allocators convert

  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    if constexpr (sizeof...(Arguments) == 0) {
      ::new (static_cast<void*>(place)) U;
    } else {
      ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
    }
  }
};

template <class T>
using Array = std::vector<T, UnsetAllocator<T>>;

}  // namespace conceptrank
