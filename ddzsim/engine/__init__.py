"""Runs: a frozen configuration, numbered parts, a directory of Parquet files."""
