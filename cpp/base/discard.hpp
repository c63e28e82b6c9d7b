// discard: frees large values without making the caller wait. Returning gigabytes to the system
// takes tenths of a second.
#pragma once

#include <system_error>
#include <thread>
#include <utility>

namespace conceptrank {

/// Frees a value on a separate thread.
template <class Value>
void discard(Value&& value) {
  try {
    std::thread([gone = std::forward<Value>(value)] {}).detach();
  } catch (const std::system_error&) {
    // No thread could be started, so the value was freed on this one.
  }
}

}  // namespace conceptrank
