"""Drawings of charts as SVG and PDF by matplotlib, for papers, from the descriptions that pages draw."""
