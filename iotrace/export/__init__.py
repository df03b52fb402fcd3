"""Traces and stores in other forms: texts that can be read again, and files of tables."""
