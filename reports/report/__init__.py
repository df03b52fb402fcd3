"""The report of one trace: its sections and figures, and the numbers behind them."""
