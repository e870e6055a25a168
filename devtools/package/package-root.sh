#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Actions of package.sh in an empty, temporary root, run as root of it. Do not run it on a machine
# that is in use.
# Usage: SHARE=DIR package-root.sh build|test|guide|stage N
#   build   build packages of this checkout to DIR/out
#   test    install, test and purge the packages of DIR/out
#   guide   run the commands of the guide for other projects
#   stage N run the N-th stage of Containerfile, 1 or 2; they share DIR/packages

set -eu -o pipefail
. "$(dirname "$0")/../ci/lib.sh"

out=${SHARE:?}/out
user=tester
apt=(apt-get -q -y -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-unsafe-io
	-o APT::Install-Recommends=false -o APT::Sandbox::User=root -o "Dir::Cache::archives=$SHARE/apt")

# apt_get WORD...: print output only on failure.
apt_get()
{
	step "apt-get $1: $(($# - 1)) arguments"
	run "${apt[@]}" "$@" >/tmp/apt.log 2>&1 || die "apt-get $1: $(tail -n 40 /tmp/apt.log)"
	rm -f /tmp/apt.log
}

as_user()
{
	runuser -u $user -- env HOME=/home/$user PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 "$@"
}

# build_steps: print steps of debhelper and every 100th of ninja.
build_steps()
{
	local line
	sed -un -e 's/^ *\(dh_[a-z_]*\).*/\1/p' -e 's/^\(\[[0-9]*00\/[0-9]*\]\).*/\1/p' |
		while read -r line; do step "dpkg-buildpackage: $line"; done
}

build_packages()
{
	local work=/home/$user/umr

	mapfile -t packages < <(packages_for package)
	apt_get install "${packages[@]}"
	apt_get build-dep ./
	mkdir -p "$work" "$out"
	cp -a . "$work/src"
	chown -R $user "$work" "$SHARE/ccache"
	# Installed packages are tested below; the unit tests are those of any build.
	run as_user env DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" \
		DEB_BUILD_PROFILES="${DEB_BUILD_PROFILES-}" CCACHE_DIR="$SHARE/ccache" \
		CCACHE_BASEDIR="$work" CCACHE_NOHASHDIR=1 PATH=/usr/lib/ccache:/usr/bin:/bin \
		sh -c 'cd "$1" && dpkg-buildpackage -us -uc' sh "$work/src" 2>&1 |
		tee /tmp/build.log | build_steps ||
		die "dpkg-buildpackage: $(tail -n 60 /tmp/build.log)"
	cp "$work"/umr_* "$work"/*.deb "$out"
	step "lintian"
	run as_user lintian --fail-on error --tag-display-limit 0 --show-overrides "$work"/*.changes ||
		die "lintian complains"
}

# List everything in the root except the databases of apt and dpkg.
list_files()
{
	find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /src -o -path "$SHARE" \
		-o -path /var/lib/apt -o -path /var/cache -o -path /var/log \
		-o -path '/var/lib/dpkg/*-old' -o -path /var/lib/dpkg/status \
		-o -path /var/lib/dpkg/lock -o -path /root/list \) -prune \
		-o -printf '%p %y %m %u:%g %l\n' | sort
	find /etc -xdev -type f -not -name '*.cache' -exec sha256sum {} + | sort -k 2
	dpkg-query -W -f '${Package} ${Version} ${db:Status-Abbrev}\n'
}

# Dependencies of the package tests, without these packages.
test_depends()
{
	sed -n 's/^Depends: *//p' debian/tests/control | tr ',' '\n' | tr -d ' ' | sort -u |
		grep -vxFf <(printf '%s\n' "${names[@]}")
}

# package_tests: run all of debian/tests whose packages are installed, each in its own folder.
package_tests()
{
	local test needs name folder

	while read -r test; do
		needs=$(sed -n "/^Tests: $test\$/,/^\$/s/^Depends: *//p" debian/tests/control |
			tr ',' '\n' | tr -d ' ')
		for name in $needs; do
			dpkg-query -W "$name" >/dev/null 2>&1 || {
				say "test $test: skipped, no $name"
				continue 2
			}
		done
		folder=$(as_user mktemp -d)
		step "test $test"
		# EAL would leave a folder in /tmp.
		(cd "$folder" && run as_user env AUTOPKGTEST_TMP="$folder" XDG_RUNTIME_DIR="$folder" \
			timeout "$(patience 900)" "$top_dir/debian/tests/$test") || die "test $test: failed"
		rm -rf "$folder"
		say "test $test: passed"
	done < <(sed -n 's/^Tests: *//p' debian/tests/control)
}

test_packages()
{
	local debs names deps

	debs=("$out"/*.deb)
	mapfile -t names < <(for deb in "${debs[@]}"; do dpkg-deb -f "$deb" Package; done)
	mapfile -t deps < <("${apt[@]}" install -s "${debs[@]}" $(test_depends) |
		sed -n 's/^Inst \([^ ]*\) .*/\1/p' | grep -vxFf <(printf '%s\n' "${names[@]}"))
	# Install dependencies first, so that both lists contain them.
	[ ${#deps[@]} -eq 0 ] || apt_get install "${deps[@]}"
	mkdir -p /root/list
	list_files >/root/list/before
	apt_get install "${debs[@]}"
	say "installed: ${names[*]}"
	package_tests
	apt_get purge "${names[@]}"
	list_files >/root/list/after
	diff /root/list/before /root/list/after || die "purged packages leave something (>)"
	say "purged: nothing is left"
}

# commands_of NAME: print the commands of a block of the guide: the steps of a pipeline, or all
# lines of other blocks.
commands_of()
{
	awk -v name="$1" '
		$0 == ".. commands: " name { is_there = 1; next }
		!is_there { next }
		/^   / { is_block = 1 }
		is_block && /^[^ ]/ { exit }
		is_block && /^ *- run: / { sub(/^ *- run: /, ""); print; next }
		is_block && /^ *script:$/ { is_script = 1; next }
		is_block && is_script { sub(/^ *- /, ""); if ($0 != "") print; next }
		is_block && / (jobs|rdma|steps|image|runs-on|container):|- uses:/ { is_pipeline = 1 }
		is_block && !is_pipeline { sub(/^ */, ""); if ($0 != "") print }
	' doc/guides/howto/rdma_ci.rst
}

# Test each block separately in a project with the packages and tests that use some Debian packages.
test_guide()
{
	local project=/home/$user/project block command nb

	mkdir -p "$project/ci"
	cp "$out"/*.deb "$project/ci"
	cp devtools/package/other-project.sh "$project/your_tests"
	chown -R $user "$project"
	apt_get install ibverbs-utils python3-pyverbs rdma-core ucx-utils
	for block in apt github gitlab; do
		nb=0
		while read -r command; do
			step "$block: $command"
			case $command in
			apt-get*) (cd "$project" && run sh -ec "$command") >/tmp/log 2>&1 ;;
			*) (cd "$project" && run as_user sh -ec "$command") >/tmp/log 2>&1 ;;
			esac </dev/null || die "$block: $command: $(tail -n 40 /tmp/log)"
			say "$block: $command: $(tail -n 1 /tmp/log)"
			nb=$((nb + 1))
		done < <(commands_of $block)
		[ $nb -ge 2 ] || die "the guide has no block $block"
		apt_get purge libswhca0
	done
}

# Run the steps of a stage: this root replaces the base image, and COPY is done here.
container_stage()
{
	local stage=$1 user_of_image=root entry= word text

	# The checkout is in /src of this root, as in the COPY step.
	[ "$stage" = 1 ] || cp -a "$SHARE/packages" /packages
	while read -r word text; do
		step "Containerfile: $word $text"
		case $word in
		RUN) run sh -ec "$text" >/tmp/log 2>&1 </dev/null || die "RUN $text: $(tail -n 40 /tmp/log)" ;;
		USER) user_of_image=$text ;;
		WORKDIR) cd "$text" ;;
		ENTRYPOINT) entry=$(tr -d '[]",' <<<"$text") ;;
		CMD)
			run runuser -u "$user_of_image" -- $entry $(tr -d '[]",' <<<"$text") >/tmp/log ||
				die "the image's command fails"
			grep -q mlx5_1 /tmp/log || die "no mlx5_1: $(cat /tmp/log)"
			;;
		esac
	done < <(sed -e ':more' -e '/\\$/N; s/\\\n[ \t]*/ /; t more' Containerfile |
		awk -v stage="$stage" '$1 == "FROM" { n++ } n == stage && !/^#/')
	[ "$stage" != 1 ] || cp -a /packages "$SHARE/"
	say "Containerfile: stage $stage: good"
}

command -v runuser >/dev/null || die "no runuser"
useradd -m $user
[ "${1-}" = stage ] || apt_get update
case ${1-} in
build) build_packages ;;
test) test_packages ;;
guide) test_guide ;;
stage) container_stage "$2" ;;
*) die "usage: package-root.sh build|test|guide|stage N" ;;
esac
