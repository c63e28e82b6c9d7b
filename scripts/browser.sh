#!/usr/bin/env bash
# Makes sure that there is a Chromium for the tests of the explorer: Debian's, if it can be had.
# Prints where it is. Without one, and no way to get it, those tests are skipped; nothing fails.
set -u
find_browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
if find_browser; then exit 0; fi
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium; } > /dev/null 2>&1
  if find_browser; then exit 0; fi
fi
echo "no Chromium here, and none to be had: the tests of the explorer in a browser will be skipped" >&2
