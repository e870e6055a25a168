#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Doxygen's own layout of pages, which differs by version, with a way to the guides in the menu.
# Usage: layout.sh DOXYGEN OUTPUT

set -eu
"$1" -l "$2" >&2
tab='<tab type="user" visible="yes" url="../../guides/html/index.html" title="Guides"/>'
sed -i "s|<navindex>|&\\n    $tab|" "$2"
grep -qF "$tab" "$2"
