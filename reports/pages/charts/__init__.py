"""The drawings of figures, in Plotly or SVG."""
