"""Reproductions of four papers. Nothing in the toolkit imports them but their command and the report."""
