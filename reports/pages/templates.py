"""The texts of pages, and their templates: what these show is escaped, and a name that they lack is an error."""

from importlib.resources import files

import jinja2
from markupsafe import Markup

PAGES = "iotrace.reports.pages"


def template(name: str, package: str = PAGES) -> jinja2.Template:
    """Return the template of this name."""
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    return environment.from_string(text(name, package))


def text(name: str, package: str = PAGES) -> str:
    """Return the text of a file that is next to the modules of a package."""
    return files(package).joinpath(name).read_text("utf-8")


def styles() -> dict[str, Markup]:
    """Return the style sheets of all pages, as templates name them."""
    return {"style": Markup(text("page.css")), "dark_style": Markup(text("dark.css"))}
