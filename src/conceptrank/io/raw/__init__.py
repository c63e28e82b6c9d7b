"""Readers of raw tables: text, ARFF, Parquet, Feather, Excel, SQLite."""
