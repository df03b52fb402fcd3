"""HTML pages: `pages` composes any page of figures and tables; `report` is the page of one trace."""
