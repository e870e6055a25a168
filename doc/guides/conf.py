# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""How Sphinx builds the guides; the version comes from meson (doc/guides/meson.build)."""

project = "umr"
# Sphinx wants this name.
copyright = "2026, The umr project authors"  # pylint: disable=redefined-builtin
master_doc = "index"
# What is in man is parts of these pages.
exclude_patterns = ["meson.build", "build.sh", "man"]
html_theme = "alabaster"
html_theme_options = {"page_width": "75em", "sidebar_width": "16em"}
html_show_sourcelink = False
highlight_language = "none"
# A reference that leads nowhere is an error, too.
nitpicky = True
