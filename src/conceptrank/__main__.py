"""`python -m conceptrank` is the command line."""

from conceptrank.cli import main

if __name__ == "__main__":
    main()
