"""`python -m conceptrank` and the program `conceptrank`: the command line."""

import signal
import sys

# What a shell reports for a program that Ctrl-C ended.
_INTERRUPTED = 130


def main() -> None:
    """Run the command line; Ctrl-C just before or after it ends without a traceback."""
    try:
        from conceptrank.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    finally:
        # The output is complete: Ctrl-C while Python shuts down must not change the exit code.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    main()
