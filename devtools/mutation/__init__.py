# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Parts of devtools/mutate.py: the catalogue, a copy of the tree, the tests, the results."""
