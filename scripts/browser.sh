#!/usr/bin/env bash
# Finds a Chromium for the tests of the explorer, and prints its path. If there is none, root on
# Debian installs the package `chromium` by apt-get, unless CONCEPTRANK_BROWSER=no. Without a browser
# those tests are skipped; nothing fails.
set -u
find_browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
if find_browser; then exit 0; fi
if [ "${CONCEPTRANK_BROWSER:-}" != no ] && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  echo "installing the Debian package chromium for the tests in a browser" \
       "(CONCEPTRANK_BROWSER=no leaves them out)" >&2
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium; } > /dev/null 2>&1
  if find_browser; then exit 0; fi
fi
echo "no Chromium found: the tests in a browser will be skipped (hint: install chromium)" >&2
