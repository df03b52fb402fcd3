"""Pages in HTML that need nothing else: sections of figures, each with its numbers."""
