# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""What devtools/mutate.py consists of: the catalogue, a copy of the tree, the tests, the results."""
