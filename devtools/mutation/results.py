# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""What a campaign has found so far, in a file that the next one goes on with; and its table."""

import collections
import json
import os

# In the order of the columns. Killed by a test that failed, or by one that did not come to an end.
STATUSES = ("killed", "hung", "survived", "equivalent", "invalid")
FOUND = ("killed", "hung")


class Results:
    """Mutants that were tried, and tests that passed."""

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, "results.jsonl")
        self.times_path = os.path.join(folder, "times.json")
        self.rows, self.times = {}, {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                for line in file:
                    row = json.loads(line)
                    self.rows[row["name"]] = row
        if os.path.exists(self.times_path):
            with open(self.times_path, encoding="utf-8") as file:
                self.times = json.load(file)

    def add(self, row):
        """One more; written at once."""
        self.rows[row["name"]] = row
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        with open(self.times_path + ".new", "w", encoding="utf-8") as file:
            json.dump(self.times, file, indent=1, sort_keys=True)
        os.replace(self.times_path + ".new", self.times_path)

    def find(self, name, digest, status_again):
        """What is known of this text of it, unless that is to be tried again."""
        row = self.rows.get(name)
        if row and row["digest"] == digest and row["status"] not in status_again:
            return row
        return None

    def killers(self):
        """(file, test): how many mutants of that file this test has found."""
        return collections.Counter((row["file"], row["test"]) for row in self.rows.values()
                                   if row["status"] in FOUND)


def status_of(mutant, row):
    """As it counts: what survives as the catalogue says is no survivor."""
    if row["status"] == "survived" and "equivalent" in mutant.keys:
        return "equivalent"
    return row["status"]


def rate_of(counts):
    """Percent of those that could be found and were."""
    found = sum(counts[status] for status in FOUND)
    able = found + counts["survived"]
    return 100.0 * found / able if able else 100.0


def counts_by_class(mutants, rows):
    """class: Counter of statuses; None is the class of all."""
    table = collections.defaultdict(collections.Counter)
    for mutant in mutants:
        if mutant.name in rows:
            for key in (mutant.keys["class"], None):
                table[key][status_of(mutant, rows[mutant.name])] += 1
    return table


def text_table(mutants, rows):
    """For people."""
    table = counts_by_class(mutants, rows)
    names = sorted(name for name in table if name is not None)
    width = max([len(name) for name in names] + [5])
    lines = [f"{'class':{width}}  mutants" + "".join(f"{name:>11}" for name in STATUSES) +
             "    rate"]
    for name in names + [None]:
        counts = table[name]
        lines.append(f"{name or 'all':{width}}  {sum(counts.values()):7}" +
                     "".join(f"{counts[status]:11}" for status in STATUSES) +
                     f"{rate_of(counts):7.1f}%")
    return "\n".join(lines)


def survivors(mutants, rows):
    """Those that count against the tests."""
    return [mutant for mutant in mutants if mutant.name in rows and
            status_of(mutant, rows[mutant.name]) == "survived"]


def as_json(mutants, rows):
    """For programs."""
    table = counts_by_class(mutants, rows)
    return json.dumps({
        "mutants": [dict(rows[mutant.name], counts_as=status_of(mutant, rows[mutant.name]))
                    for mutant in mutants if mutant.name in rows],
        "classes": {name: dict(counts, rate=round(rate_of(counts), 1))
                    for name, counts in table.items() if name is not None},
        "rate": round(rate_of(table[None]), 1),
    }, indent=1)
