#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Find clipped text in the documents: text beyond the edge of a box that does not scroll.

Opens each page of the guides and of the reference (target doc) in a headless Chromium, in windows
of several widths. First checks that planted errors are found. Exit status 1 if there are errors,
77 without chromium or without the pages.

Usage: pages.py [BUILD_DIR]
"""

import html.parser
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
TIMEOUT_S = 600
# Phone, tablet, desktop.
WIDTHS = (400, 800, 1400)
FOLDERS = ("doc/guides/html", "doc/api/html")
MARK = "umr-pages"

HARNESS = """<!DOCTYPE html><meta charset="utf-8"><body><script>
const pages = %s, widths = %s, found = [];
function name(e) {
	return e.tagName.toLowerCase() + (e.className ? '.' + e.className : '') + ': ' +
		(e.textContent || '').trim().slice(0, 60);
}
function measure(doc, page, width) {
	// Beside the text there are menus, which hide what they scroll by.
	const root = doc.querySelector('.wy-nav-content-wrap, #doc-content, .contents') || doc.body;
	const wide = doc.documentElement.scrollWidth - doc.documentElement.clientWidth;
	if (wide > 1)
		found.push([page, width, 'page', wide + ' pixels wider than the window']);
	for (const e of [doc.body, root, ...root.querySelectorAll('*')]) {
		const more = e.scrollWidth - e.clientWidth;
		if (more > 1 && e.clientWidth > 0 &&
		    ['hidden', 'clip'].includes(e.ownerDocument.defaultView.getComputedStyle(e).overflowX))
			found.push([page, width, 'cut', more + ' pixels of ' + name(e)]);
	}
}
function load(page, width) {
	return new Promise(done => {
		const frame = document.createElement('iframe');
		frame.style.cssText = 'border: 0; height: 900px; width: ' + width + 'px';
		// The theme's script, which comes later, lets tables scroll.
		frame.onload = () => setTimeout(() => {
			measure(frame.contentDocument, page, width);
			frame.remove();
			done();
		}, 200);
		frame.src = page;
		document.body.append(frame);
	});
}
(async () => {
	for (const width of widths)
		for (const page of pages)
			await load(page, width);
	document.body.innerHTML = '<p id="%s"></p>';
	document.body.firstChild.textContent = JSON.stringify(found);
})();
</script>"""

PLANTED = """<!DOCTYPE html><meta charset="utf-8"><body style="margin: 0">
<pre style="overflow: auto">{0}</pre><pre style="overflow: {1}">{0}</pre>"""


class Result(html.parser.HTMLParser):
    """Parse the text of the element created by the harness."""

    def __init__(self):
        super().__init__()
        self.is_open = False
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.is_open = dict(attrs).get("id") == MARK

    def handle_endtag(self, tag):
        self.is_open = False

    def handle_data(self, data):
        if self.is_open:
            self.text += data


def measure(browser, pages, widths, work):
    """Clipped text of pages: [page, width, kind, text]."""
    harness = work / "harness.html"
    harness.write_text(HARNESS % (json.dumps([page.as_uri() for page in pages]),
                                  json.dumps(widths), MARK), encoding="utf-8")
    # By default, pages loaded from files cannot access each other.
    out = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
         f"--user-data-dir={work / 'profile'}", f"--timeout={TIMEOUT_S * 1000}",
         "--virtual-time-budget=1000000000", "--dump-dom", harness.as_uri()],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_S, check=False)
    result = Result()
    result.feed(out.stdout)
    if not result.text:
        sys.exit(f"{browser}: no result, exit status {out.returncode}\n{out.stderr[-2000:]}")
    return json.loads(result.text)


def self_test(browser, work):
    """Check that planted errors are found, and nothing else."""
    for overflow, kinds in (("auto", []), ("hidden", ["cut"]), ("visible", ["page"])):
        page = work / f"{overflow}.html"
        page.write_text(PLANTED.format("x" * 400, overflow), encoding="utf-8")
        found = measure(browser, [page], [400], work)
        if [kind for _, _, kind, _ in found] != kinds:
            sys.exit(f"overflow {overflow}: {found}, not {kinds}")


def main():
    top = pathlib.Path(__file__).resolve().parents[2]
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else top / "build").resolve()
    browser = shutil.which("chromium")
    pages = [page for folder in FOLDERS for page in sorted((build / folder).rglob("*.html"))]
    if browser is None or not pages:
        print("pages: skipped, no chromium" if pages else f"pages: skipped, none in {build}")
        return SKIP
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        self_test(browser, work)
        found = measure(browser, pages, WIDTHS, work)
    for page, width, _, text in found:
        print(f"{page.removeprefix(build.as_uri() + '/')}, {width} pixels: {text}")
    if found:
        print(f"pages: {len(found)} faults")
        return 1
    print(f"pages: good, {len(pages)} at {len(WIDTHS)} widths")
    return 0


if __name__ == "__main__":
    sys.exit(main())
