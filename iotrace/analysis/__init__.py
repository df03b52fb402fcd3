"""What a trace says: statistics, miss-ratio curves, access patterns."""
