# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Debian packages of other releases and architectures, by apt with separate state: downloaded and
# unpacked, not installed. To be sourced, by a script that sets own_dir, the folder of that state,
# own_arch, and own_suites.

# own_mirror: print the Debian mirror of the machine, if configured.
own_mirror()
{
	local mirror

	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
		sed -n 's,\(.*/debian\)/*$,\1,p' | head -n 1 || true)
	printf '%s\n' "${mirror:-http://deb.debian.org/debian}"
}

# own_apt TOOL [WORD...]: run apt for those suites, without knowledge of installed packages.
own_apt()
{
	local tool=$1 dir=$own_dir

	shift
	"$tool" -q -o Dir::State="$dir" -o Dir::State::lists="$dir/lists" \
		-o Dir::State::status="$dir/status" -o Dir::Cache="$dir" \
		-o Dir::Cache::archives="$dir/archives" \
		-o Dir::Etc::sourcelist="$dir/own.sources" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
		-o APT::Install-Recommends=false -o APT::Sandbox::User= \
		-o APT::Architecture="$own_arch" -o APT::Architectures="$own_arch" \
		-o Acquire::Languages=none "$@"
}

# own_update: update its lists once per run.
is_own_updated=no
own_update()
{
	[ "$is_own_updated" = no ] || return 0
	mkdir -p "$own_dir/lists/partial" "$own_dir/archives/partial"
	cat >"$own_dir/own.sources" <<END
Types: deb
URIs: $(own_mirror)
Suites: $own_suites
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
	: >"$own_dir/status"
	own_apt apt-get update >&2 || return 1
	is_own_updated=yes
}

# own_unpack FOLDER PACKAGE...: download packages and all dependencies, and unpack them.
own_unpack()
{
	local folder=$1 deb

	shift
	own_update && rm -f "$own_dir"/archives/*.deb &&
		own_apt apt-get -y --download-only install "$@" >&2 || return 1
	for deb in "$own_dir"/archives/*.deb; do
		dpkg-deb -x "$deb" "$folder" || return 1
	done
	rm -f "$own_dir"/archives/*.deb
}
