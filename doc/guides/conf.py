# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""How Sphinx builds the guides; the version comes from meson (doc/guides/meson.build)."""

import importlib.util
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

project = "umr"
# Sphinx wants this name.
copyright = "2026, The umr project authors"  # pylint: disable=redefined-builtin
master_doc = "index"
# What is in man is parts of these pages.
exclude_patterns = ["meson.build", "build.sh", "man"]
extensions = ["api_links"]
highlight_language = "none"
# A reference that leads nowhere is an error, too.
nitpicky = True

html_show_sourcelink = False
html_static_path = [str(HERE / "static")]
html_css_files = ["umr.css"]
# DPDK's theme, and one that every Sphinx has where that is not installed.
if importlib.util.find_spec("sphinx_rtd_theme"):
    extensions.append("sphinx_rtd_theme")
    templates_path = [str(HERE / "templates")]
    html_theme = "sphinx_rtd_theme"
    html_theme_options = {"collapse_navigation": False, "navigation_depth": 3}
else:
    html_theme = "alabaster"
    html_theme_options = {"page_width": "75em", "sidebar_width": "16em"}
