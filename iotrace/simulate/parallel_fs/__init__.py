"""A parallel file system and its buffer cache (Kotz and Ellis 1991): how long a program takes, and why."""
