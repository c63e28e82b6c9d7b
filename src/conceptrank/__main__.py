"""`python -m conceptrank` and the program `conceptrank`: the command line."""

import sys

# What a shell reports for a program that Ctrl-C ended.
_INTERRUPTED = 130


def main() -> None:
    """Run the command line; Ctrl-C while it is being imported ends it without a traceback."""
    try:
        from conceptrank.cli import main as run
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    run()


if __name__ == "__main__":
    main()
