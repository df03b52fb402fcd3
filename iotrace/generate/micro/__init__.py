"""The micro-benchmark of Vilayannur et al., section 3.3."""
