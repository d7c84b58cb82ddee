"""Sphinx's settings. Nothing here makes a page load anything from elsewhere: the site opens from the disk."""

from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

from dupack import __version__

project = "dupack"
author = "dupack's authors"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_click"]
smartquotes = False
# Our docstrings name objects in single backticks; other words in backticks stay as they are written.
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
add_module_names = False
python_use_unqualified_type_names = True

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"dupack {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["play.js"]
exclude_patterns = ["extra"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}
pygments_style = "tango"


def _plain(app: Sphinx, context: Any, lines: list[str]) -> None:
    """A star in a command's help is a star."""
    lines[:] = [line.replace("*", r"\*") for line in lines]


def _extra(app: Sphinx, config: Config) -> None:
    """What stands on the site as it is: the reports, the schemas."""
    config.html_extra_path = [str(app.srcdir / "extra")]


def setup(app: Sphinx) -> None:
    app.connect("config-inited", _extra)
    app.connect("sphinx-click-process-description", _plain)
