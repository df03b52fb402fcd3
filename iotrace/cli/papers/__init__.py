"""The commands of each paper."""
