"""Programs of parallel processes, from traces of any family and from pattern text: table program."""
