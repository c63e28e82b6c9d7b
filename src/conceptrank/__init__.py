"""Find the patterns that matter in a table of objects and attributes."""
