# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Sphinx extension: each name of the API leads to its place in the reference.

Doxygen's tag file says where that is (the value api_tag_file; without one there are no links). All
text of a page counts, that of code blocks, too, except what leads somewhere already.
"""

import html.parser
import re
import xml.etree.ElementTree as ET

NAME = re.compile(r"\b(?:rte_umr|RTE_UMR)\w*(?:\.h\b|::\w+)?")
# From the top of the guides to that of the reference, in the build folder and where it is installed.
REFERENCE = "../../api/html/"


def targets(path):
    """Places of what a tag file has: {name: file and anchor}."""
    found = {}
    for compound in ET.parse(path).iter("compound"):
        page = compound.findtext("filename")
        if compound.get("kind") in ("file", "struct", "union"):
            # Doxygen 1.9 leaves the ending out for files.
            page = page if page.endswith(".html") else page + ".html"
            found[compound.findtext("name")] = page
        # Members of a struct are named with it.
        scope = "" if compound.get("kind") == "file" else compound.findtext("name") + "::"
        for member in compound.iter("member"):
            found[scope + member.findtext("name")] = (member.findtext("anchorfile") + "#" +
                                                      member.findtext("anchor"))
            for value in member.iter("enumvalue"):
                found[value.text] = value.get("anchorfile") + "#" + value.get("anchor")
    return found


class Linker(html.parser.HTMLParser):
    """Copies HTML, with links around names."""

    def __init__(self, places, prefix):
        super().__init__(convert_charrefs=False)
        self.places = places
        self.prefix = prefix
        self.out = []
        self.nb_links_open = 0

    def handle_starttag(self, tag, attrs):
        self.out.append(self.get_starttag_text())
        self.nb_links_open += tag == "a"

    def handle_startendtag(self, tag, attrs):
        self.out.append(self.get_starttag_text())

    def handle_endtag(self, tag):
        self.out.append(f"</{tag}>")
        self.nb_links_open -= tag == "a"

    def handle_data(self, data):
        self.out.append(data if self.nb_links_open else NAME.sub(self.link, data))

    def link(self, match):
        """A name, as a link if it is one of the API."""
        name = match.group()
        place = self.places.get(name)
        if place is None:
            return name
        return f'<a class="api" href="{self.prefix}{place}">{name}</a>'

    def handle_entityref(self, name):
        self.out.append(f"&{name};")

    def handle_charref(self, name):
        self.out.append(f"&#{name};")

    def handle_comment(self, data):
        self.out.append(f"<!--{data}-->")

    def handle_decl(self, decl):
        self.out.append(f"<!{decl}>")


def page_link(app, page, _template, context, _doctree):
    """Event html-page-context: the page is written after this."""
    if not app.umr_api_places or "body" not in context:
        return
    linker = Linker(app.umr_api_places, "../" * page.count("/") + REFERENCE)
    linker.feed(context["body"])
    linker.close()
    context["body"] = "".join(linker.out)


def read(app):
    """Event builder-inited."""
    path = app.config.api_tag_file
    app.umr_api_places = targets(path) if path else {}


def setup(app):
    """Called by Sphinx."""
    app.add_config_value("api_tag_file", "", "html")
    app.connect("builder-inited", read)
    app.connect("html-page-context", page_link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
