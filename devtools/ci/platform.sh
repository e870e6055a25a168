#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Run a command in a root of another Debian release that contains this checkout. It changes nothing
# on the machine: the root is in a cache folder, and mounts are in a separate mount namespace that
# always ends with this script.

set -eu -o pipefail
. "$(dirname "$0")/lib.sh"

usage()
{
	cat <<END
Usage: devtools/ci/platform.sh [options] bookworm|trixie|sid [COMMAND [ARGUMENT...]]

Runs COMMAND (default: devtools/test.sh) in a root of that Debian release, in a copy of this
checkout: what is committed, and what is not. Its build folders stay there from run to run, apart
from those here.

The root is made by debootstrap(8) in the cache folder when it is not there yet; the project's
packages are installed in it. The mirror is that of the machine's own apt sources. The root has
/dev, /proc and /sys that cannot change the machine, its hugepages if it has reserved some, and its
network. Wants root, for chroot(2) and mount(2).

  --cache DIR   where roots are (default: \${XDG_CACHE_HOME:-~/.cache}/umr); 3 GB for each release
  --share DIR   show this folder as /share, to bring things out of the root
  --empty       in an empty root, without the project's packages, that is thrown away afterwards
  --update      update all packages of the root first: sid changes from day to day
  --new         make the root anew
  --help        this text

Exit status: that of COMMAND; 77 if there is no root and none can be made here: not root, no right
to mount, no debootstrap, or a mirror that does not answer; 2 wrong usage; 1 whatever else fails.
END
}

cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/umr
opt_empty=no
opt_share=
opt_update=no
opt_new=no
suite=

while [ $# -gt 0 ] && [ -z "$suite" ]; do
	case $1 in
	--cache)
		[ $# -gt 1 ] || wrong_usage "$1 needs a folder"
		cache=$2
		shift
		;;
	--share)
		[ $# -gt 1 ] || wrong_usage "$1 needs a folder"
		opt_share=$(realpath -e "$2") || wrong_usage "no such folder: $2"
		shift
		;;
	--empty) opt_empty=yes ;;
	--update) opt_update=yes ;;
	--new) opt_new=yes ;;
	--help)
		usage
		exit 0
		;;
	bookworm | trixie | sid) suite=$1 ;;
	*) wrong_usage "neither an option nor a release: $1" ;;
	esac
	shift
done
[ -n "$suite" ] || wrong_usage "which release?"
[ $# -gt 0 ] || set -- devtools/test.sh

cache=$(realpath -m "$cache")
home=$cache/$suite
base=$home/base
# When this script ends for any reason, unshare(1) and everything inside end, too.
namespace=(setpriv --pdeathsig KILL
	unshare --mount --pid --fork --kill-child --propagation private)

[ "$(id -u)" -eq 0 ] || skip "not root, which chroot(2) and mount(2) ask for; try sudo $0"
"${namespace[@]}" true 2>/dev/null || skip "no right to mount here: unshare(1) fails"

# from_mirror WHAT COMMAND...: run it; if it fails, check whether the mirror failed.
from_mirror()
{
	local what=$1
	shift
	if ! run "$@" >"$home/log" 2>&1; then
		find_mirror "$suite" "$home/InRelease" ||
			skip "$what: the mirror of apt's sources does not answer"
		tail -n 30 "$home/log" >&2
		die "$what: failed; see $home/log"
	fi
}

# Create a minimal root with apt. It appears complete or not at all.
make_base()
{
	command -v debootstrap >/dev/null || skip "no debootstrap"
	find_mirror "$suite" "$home/InRelease" ||
		skip "no mirror of apt's sources answers and has Debian's $suite"
	say "root: debootstrap of $suite"
	rm -rf --one-file-system "$base.new"
	from_mirror debootstrap "${namespace[@]}" \
		debootstrap --variant=minbase "$suite" "$base.new" "$mirror"
	# Installed packages must not start services.
	printf '#!/bin/sh\nexit 101\n' >"$base.new/usr/sbin/policy-rc.d"
	chmod 755 "$base.new/usr/sbin/policy-rc.d"
	# A root need not survive a crash of the machine; Debian's container images do the same.
	echo force-unsafe-io >"$base.new/etc/dpkg/dpkg.cfg.d/90-image"
	# The mirror of an isolated network may be older than the validity of sid's indices.
	echo 'Acquire::Check-Valid-Until "false";' >"$base.new/etc/apt/apt.conf.d/90-mirror"
	rm -f "$base.new"/var/cache/apt/archives/*.deb
	mv "$base.new" "$base"
}

# Mounts for a root in a separate namespace: a /dev without devices of the machine, and read-only
# kernel parameters. The shell remains process 1, because the command may not be suitable for that.
read -r -d '' enter_script <<'END' || true
set -eu
root=$1
share=$2
shift 2
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount --rbind /sys "$root/sys"
mount -o remount,bind,ro "$root/sys"
mount -t tmpfs -o mode=755 dev "$root/dev"
for node in null zero full random urandom tty; do
	: >"$root/dev/$node"
	mount --bind "/dev/$node" "$root/dev/$node"
done
ln -s /proc/self/fd "$root/dev/fd"
ln -s fd/0 "$root/dev/stdin"
ln -s fd/1 "$root/dev/stdout"
ln -s fd/2 "$root/dev/stderr"
ln -s pts/ptmx "$root/dev/ptmx"
mkdir "$root/dev/pts" "$root/dev/shm" "$root/dev/hugepages"
mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
mount -t hugetlbfs hugetlbfs "$root/dev/hugepages" 2>/dev/null || true
if [ -n "$share" ]; then
	mkdir -p "$root/share"
	mount --bind "$share" "$root/share"
fi
for file in /etc/resolv.conf /etc/hosts; do
	[ -e "$file" ] || continue
	rm -f "$root$file"
	cp -L "$file" "$root$file"
done
status=0
env -i HOME=/root TERM="${TERM:-dumb}" LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
	PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
	${http_proxy:+http_proxy="$http_proxy"} \
	chroot "$root" /bin/sh -c 'cd /src && exec "$@"' sh "$@" ||
	status=$?
exit "$status"
END

# enter COMMAND...: run it in the root.
enter()
{
	"${namespace[@]}" bash -c "$enter_script" platform.sh "$root" "$opt_share" "$@"
}

# Copy the checkout. File times and build folders are kept, so that unchanged files are not rebuilt.
lay_checkout()
{
	mkdir -p "$root/src"
	find "$root/src" -mindepth 1 -maxdepth 1 \! -name 'build*' -exec rm -rf {} +
	checkout_files | tar -C "$top_dir" -c --null --no-recursion -T - |
		tar -C "$root/src" -x --no-same-owner
}

# debootstrap and commands in the root also need apt's proxy.
eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
[ -z "${http_proxy-}" ] || export http_proxy

mkdir -p "$home"
exec 9>"$home/lock"
flock -n 9 || { say "waiting for another run in $home"; flock 9; }

[ "$opt_new" = no ] || rm -rf --one-file-system "$base" "$home/root"
[ -d "$base" ] || make_base
root=$home/root
if [ "$opt_empty" = yes ]; then
	rm -rf --one-file-system "$home"/empty.*
	root=$(mktemp -d "$home/empty.XXXXXX")
	trap 'rm -rf --one-file-system "$root"' EXIT
	chmod 755 "$root"
	cp -a "$base/." "$root"
elif [ ! -d "$root" ]; then
	rm -rf --one-file-system "$root.new"
	cp -a "$base" "$root.new"
	mv "$root.new" "$root"
fi
lay_checkout

apt=(apt-get -q -y -o Dpkg::Use-Pty=0 -o APT::Install-Recommends=false)
if [ "$opt_empty" = no ]; then
	missing=$(enter bash -c '. devtools/ci/lib.sh; missing_packages run test' | tr '\n' ' ')
	if [ -n "$missing" ] || [ "$opt_update" = yes ]; then
		say "root: packages of $suite"
		from_mirror "apt-get update" enter "${apt[@]}" update --error-on=any
		[ "$opt_update" = no ] ||
			from_mirror "apt-get dist-upgrade" enter "${apt[@]}" dist-upgrade
		# shellcheck disable=SC2086
		[ -z "$missing" ] ||
			from_mirror "apt-get install" enter "${apt[@]}" install $missing
		enter apt-get clean
	fi
fi
say "$suite: $*"
status=0
enter "$@" || status=$?
exit "$status"
