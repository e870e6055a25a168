# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Parts of manual pages that guides have in another form: the help of a program, the API of headers."""

import pathlib
import re

from docutils import nodes
from docutils.parsers.rst import Directive

TOP = pathlib.Path(__file__).resolve().parents[3]
GUIDES = TOP / "doc/guides"
HEADERS = TOP / "lib/umr"
# Names of the API in text, for example rte_umr_mr_create().
SYMBOL = re.compile(r"\b(rte_\w+\(\)|rte_\w+\.h|RTE_UMR_\w+)")


def text_of(path):
    return path.read_text(encoding="utf-8")


def help_of(guide, program):
    """The help of a program, as its guide shows it: the lines behind the command."""
    text = text_of(GUIDES / guide)
    found = re.search(rf"^( +)\$ [a-z/]*{program} --help\n((?:\1.*\n|\n)+)", text, re.M)
    if found is None:
        raise LookupError(f"{guide}: does not show {program} --help")
    return [line[len(found.group(1)):] for line in found.group(2).rstrip().split("\n")]


class Usage(Directive):
    """How a program is called: the first line of a guide that shows it."""

    required_arguments = 2

    def run(self):
        guide, program = self.arguments
        found = re.search(rf"^ +(?:usage: +)?((?:swhca-run )?{program} [\[A-Z].*)$",
                          text_of(GUIDES / guide), re.I | re.M)
        if found is None:
            raise self.error(f"{guide}: no line shows how to call {program}")
        return [nodes.literal_block(text=found.group(1))]


class Options(Directive):
    """Commands and options of a program: the indented lines of its help."""

    required_arguments = 2

    def run(self):
        lines = help_of(*self.arguments)
        indented = [i for i, line in enumerate(lines) if line.startswith("  ")]
        return [nodes.literal_block(text="\n".join(lines[indented[0]:indented[-1] + 1]))]


def inline(text):
    """Text as nodes, with names of symbols in bold."""
    text = " ".join(text.split())
    for i, part in enumerate(SYMBOL.split(text)):
        if part:
            yield nodes.strong(text=part) if i % 2 else nodes.Text(part)


def paragraph(text):
    return nodes.paragraph("", "", *inline(text))


def comment_nodes(text):
    """Nodes of a comment: paragraphs, lists and figures."""
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        items = re.split(r"^  (?:-|\d\.) ", block, flags=re.M)
        if block.startswith("    "):
            yield nodes.literal_block(text=block)
        elif len(items) > 1:
            entries = [nodes.list_item("", paragraph(item)) for item in items[1:]]
            yield (nodes.bullet_list("", *entries) if re.search("^  - ", block, re.M) else
                   nodes.enumerated_list("", *entries, enumtype="arabic", suffix="."))
        else:
            yield paragraph(block)


class ApiModel(Directive):
    """What the main header says before its first declaration."""

    def run(self):
        text = re.search(r"/\*\*\n \* @file\n(.*?)\n \*/", text_of(HEADERS / "rte_umr.h"), re.S)[1]
        lines = [re.sub(r"^ \* ?", "", line) for line in text.split("\n")]
        # Numbered and nested lists are indented by two and three.
        return list(comment_nodes(re.sub(r"^   (?=\d\. |- )", "  ", "\n".join(lines), flags=re.M)))


def functions_of(header):
    """Names of the functions of a header, with the first sentence of each."""
    for comment, code in re.findall(r"^/\*\*\n((?:(?!\*/).)*) \*/\n__rte_experimental\n(.*?)[;{]",
                                    text_of(HEADERS / header), re.M | re.S):
        name = re.search(r"\b(rte_umr_\w+)\(", code)
        if name is not None and "@internal" not in comment:
            words = " ".join(re.sub(r"^ \* ?", "", line) for line in comment.split("\n"))
            yield name[1], re.match(r"(.*?[.:;])(?: |$)", words)[1].rstrip(".:;") + "."


class ApiHeaders(Directive):
    """Headers, as the start of the reference lists them, and their functions."""

    def run(self):
        result = []
        for header, what in re.findall(r"^\| (rte_\w+\.h) \| (.*) \|$", text_of(TOP / "doc/api/index.md"),
                                       re.M):
            if what.startswith("internal"):
                continue
            section = nodes.section("", nodes.title(text=header), ids=[header],
                                    names=[header])
            section += paragraph(what[0].upper() + what[1:] + ".")
            section += nodes.definition_list("", *(
                nodes.definition_list_item("", nodes.term("", "", nodes.strong(text=name + "()")),
                                           nodes.definition("", paragraph(brief)))
                for name, brief in functions_of(header)))
            result.append(section)
        return result


def hide_help(_app, doctree):
    """The help has a section of its own."""
    for block in list(doctree.findall(nodes.literal_block)):
        if re.match(r"\$ [a-z/]*[a-z-]+ --help\n", block.astext()):
            block.parent.replace(block, nodes.paragraph(text="See Options."))


def setup(app):
    for name, directive in (("usage", Usage), ("options", Options), ("api-model", ApiModel),
                            ("api-headers", ApiHeaders)):
        app.add_directive(name, directive)
    app.connect("doctree-read", hide_help)
