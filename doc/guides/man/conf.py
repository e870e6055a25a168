# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""How Sphinx makes manual pages of parts of the guides: NAME.rst here says of which.

Tags swhca and umr choose programs. The version comes from meson (meson.build).
"""

import pathlib
import re
import sys

from docutils import nodes

GUIDES = pathlib.Path(__file__).parent.parent
sys.path.insert(0, str(GUIDES / "man"))
extensions = ["programs"]
AUTHORS = ["The umr project authors"]

project = "umr"
master_doc = "swhca-run"
exclude_patterns = ["meson.build", "*.py"]
highlight_language = "none"
man_make_section_directory = False
man_pages = []
if tags.has("swhca"):  # noqa: F821 pylint: disable=undefined-variable
    man_pages += [
        ("swhca-run", "swhca-run", "run a program with software ConnectX devices", AUTHORS, 1),
        ("swhca-ctl", "swhca-ctl", "ask and disturb software ConnectX devices", AUTHORS, 1),
        ("swhca-pci", "swhca-pci", "software ConnectX as a PCI function", AUTHORS, 1),
        ("swhca-speed", "swhca-speed", "speed of a software ConnectX", AUTHORS, 1),
    ]
if tags.has("umr"):  # noqa: F821 pylint: disable=undefined-variable
    man_pages += [
        ("dpdk-test-umr", "dpdk-test-umr", "test and measure memory keys made by UMR", AUTHORS, 1),
        ("rte_umr", "rte_umr", "memory keys and scatter layouts for RDMA adapters", AUTHORS, 7),
    ]


def title_of(text):
    """The first heading of a text."""
    return re.search(r"^(\S.*)\n[=\-~]{3,}$", text, re.M).group(1)


def name_what_is_elsewhere(_app, _env, node, _content):
    """References to the rest of the guides become its titles."""
    target = node["reftarget"]
    if node["reftype"] == "doc":
        found = [path for path in GUIDES.rglob("*.rst") if path.stem == target.rsplit("/", 1)[-1]]
        return nodes.emphasis(text=title_of(found[0].read_text(encoding="utf-8"))) if found else None
    for path in GUIDES.rglob("*.rst"):
        parts = path.read_text(encoding="utf-8").split(f"\n.. _{target}:\n")
        if len(parts) == 2:
            return nodes.emphasis(text=title_of(parts[1]))
    return None


def name_what_is_installed(_app, doctree):
    """Guides call programs where a checkout has them."""
    for text in list(doctree.findall(nodes.Text)):
        new = re.sub(r"\b(devtools|build/app/[a-z-]+)/(?=[a-z-]+\b(?!\.))", "", text)
        if new != text:
            text.parent.replace(text, nodes.Text(new))


def setup(app):
    app.connect("missing-reference", name_what_is_elsewhere)
    app.connect("doctree-read", name_what_is_installed)
