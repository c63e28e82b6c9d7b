// discard: frees large values without making the caller wait. To give gigabytes back to the system
// takes tenths of a second.
#pragma once

#include <system_error>
#include <thread>
#include <utility>

namespace conceptrank {

/// Frees a value on a thread of its own.
template <class Value>
void discard(Value&& value) {
  try {
    std::thread([gone = std::forward<Value>(value)] {}).detach();
  } catch (const std::system_error&) {
    // There is no thread to be had: the value was freed here.
  }
}

}  // namespace conceptrank
