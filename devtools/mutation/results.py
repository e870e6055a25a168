# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Previous results of a campaign in a file, which the next run reuses; and their table."""

import collections
import json
import os

# In the order of the columns. "killed" by a failing test, "hung" by a test that timed out.
STATUSES = ("killed", "hung", "survived", "equivalent", "invalid")
FOUND = ("killed", "hung")


class Results:
    """Results of mutants, and the time of passed tests."""

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, "results.json")
        self.rows, self.times = {}, {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                known = json.load(file)
            self.rows, self.times = known["rows"], known["times"]

    def add(self, row):
        """Add a result."""
        self.rows[row["name"]] = row
        self.write()

    def forget(self, name):
        """Remove a result."""
        del self.rows[name]
        self.write()

    def write(self):
        """Write the file atomically."""
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            json.dump({"rows": self.rows, "times": dict(self.times)}, file, indent=1, sort_keys=True)
        os.replace(self.path + ".new", self.path)

    def of(self, digests):
        """Results of mutants whose digest is current; other results belong to other faults."""
        return {name: self.rows[name] for name, digest in digests.items()
                if name in self.rows and self.rows[name]["digest"] == digest}

    def killers(self):
        """(file, test): number of mutants of that file found by this test."""
        return collections.Counter((row["file"], row["test"]) for row in self.rows.values()
                                   if row["status"] in FOUND)


def status_of(mutant, row):
    """Status for the statistics: a surviving mutant that is marked equivalent does not count."""
    if row["status"] == "survived" and "equivalent" in mutant.keys:
        return "equivalent"
    return row["status"]


def rate_of(counts):
    """Percentage of detectable mutants that were found; None if there are none."""
    found = sum(counts[status] for status in FOUND)
    able = found + counts["survived"]
    return round(100.0 * found / able, 1) if able else None


def counts_by_class(mutants, rows):
    """class: Counter of statuses; None is the total of all classes."""
    table = collections.defaultdict(collections.Counter)
    for mutant in mutants:
        if mutant.name in rows:
            for key in (mutant.keys["class"], None):
                table[key][status_of(mutant, rows[mutant.name])] += 1
    return table


def text_table(mutants, rows):
    """Table for humans."""
    table = counts_by_class(mutants, rows)
    names = sorted(name for name in table if name is not None)
    width = max([len(name) for name in names] + [5])
    lines = [f"{'class':{width}}  mutants" + "".join(f"{name:>11}" for name in STATUSES) +
             "    rate"]
    for name in names + [None]:
        counts = table[name]
        lines.append(f"{name or 'all':{width}}  {sum(counts.values()):7}" +
                     "".join(f"{counts[status]:11}" for status in STATUSES) +
                     (f"{rate:7.1f}%" if (rate := rate_of(counts)) is not None else f"{'-':>8}"))
    return "\n".join(lines)


def survivors(mutants, rows):
    """Mutants that the tests missed."""
    return [mutant for mutant in mutants if mutant.name in rows and
            status_of(mutant, rows[mutant.name]) == "survived"]


def as_json(mutants, rows, bad_tests):
    """Results for programs."""
    table = counts_by_class(mutants, rows)
    return json.dumps({
        "mutants": [dict(rows[mutant.name], counts_as=status_of(mutant, rows[mutant.name]))
                    for mutant in mutants if mutant.name in rows],
        "classes": {name: dict(counts, rate=rate_of(counts))
                    for name, counts in table.items() if name is not None},
        "bad_tests": bad_tests,
        "not_tried": len(mutants) - sum(table[None].values()),
        "rate": rate_of(table[None]),
    }, indent=1)
