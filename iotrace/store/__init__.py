"""A trace on disk as Parquet tables with a manifest: opened, read, written, and asked in SQL."""
