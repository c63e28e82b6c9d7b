"""`python -m conceptrank` and the program `conceptrank`: the command line."""

import signal
import sys

# What a shell reports for a program that Ctrl-C ended.
_INTERRUPTED = 130


def main() -> None:
    """Run the command line; Ctrl-C just before or after it ends without a traceback."""
    try:
        try:
            from conceptrank.cli import main as run

            run(ends_process=True)
        finally:
            # The output is complete: Ctrl-C while Python shuts down must not change the exit code.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        # Ctrl-C may also come in the line above.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
