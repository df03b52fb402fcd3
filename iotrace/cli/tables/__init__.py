"""Tables as the terminal shows them."""
