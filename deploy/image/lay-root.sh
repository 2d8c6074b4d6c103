#!/bin/sh
# Lays the root file system of the image: the files of the named packages of Debian and of what they need at run time, and no package
# manager. Their entries are kept in /var/lib/dpkg/status.d, where scanners look for them.
#   lay-root.sh OUT FILE_OF_NODE
set -eu
out=$1
node=$2
# bubblewrap confines stdio servers; the shell and its tools are for npx and for servers that are scripts.
wanted="base-files netbase tzdata ca-certificates libc6 libgcc-s1 libstdc++6 bash dash coreutils grep sed bubblewrap"
needed="libtinfo6 libacl1 libattr1 libgmp10 libselinux1 libpcre2-8-0 libcap2 libssl3 libcap-ng0 libsmartcols1"
# setpriv and prlimit confine stdio servers; the rest of their package stays out.
files_of() {
  case $1 in
    util-linux) printf '%s\n' /usr/bin/setpriv /usr/bin/prlimit /usr/share/doc/util-linux/copyright ;;
    *) dpkg -L "$1" ;;
  esac
}

export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -q -y --no-install-recommends $wanted binutils

mkdir -p "$out/usr/bin" "$out/usr/sbin" "$out/usr/lib" "$out/usr/lib64" "$out/var/lib/dpkg/status.d"
for name in bin sbin lib lib64; do ln -s "usr/$name" "$out/$name"; done
for package in $wanted $needed util-linux; do
  dpkg -s "$package" >"$out/var/lib/dpkg/status.d/$package"
  files_of "$package" | while read -r path; do
    case $path in
      /usr/share/doc/*/copyright) ;; # licences stay
      /usr/share/doc/* | /usr/share/man/* | /usr/share/locale/* | /usr/share/info/* | /usr/share/lintian/*) continue ;;
    esac
    if [ -d "$path" ] && [ ! -L "$path" ]; then
      mkdir -p "$out$path"
    elif [ -e "$path" ] || [ -L "$path" ]; then
      mkdir -p "$out$(dirname "$path")"
      [ -d "$out$path" ] || cp -a "$path" "$out$path"
    fi
  done
done
# What the packages' scripts made.
cp -a /etc/ssl/. "$out/etc/ssl/"
cp -a /etc/ld.so.cache "$out/etc/ld.so.cache" 2>/dev/null || true
rm -rf "$out/usr/share/zoneinfo/right" "$out/usr/share/zoneinfo/posix" "$out/usr/lib/x86_64-linux-gnu/gconv" \
  "$out/usr/lib/aarch64-linux-gnu/gconv" "$out/usr/share/ca-certificates"/*.tmp

printf '%s\n' 'root:x:0:0:root:/root:/usr/sbin/nologin' 'toolway:x:10001:10001::/var/lib/toolway:/usr/sbin/nologin' \
  'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin' >"$out/etc/passwd"
printf '%s\n' 'root:x:0:' 'toolway:x:10001:' 'nogroup:x:65534:' >"$out/etc/group"
printf '%s\n' 'hosts: files dns' 'passwd: files' 'group: files' >"$out/etc/nsswitch.conf"
mkdir -p "$out/tmp" "$out/run" "$out/root" "$out/proc" "$out/sys" "$out/dev" "$out/usr/local/bin" "$out/usr/local/lib/toolway"
chmod 1777 "$out/tmp"
chmod 700 "$out/root"
install -d -m 700 -o 10001 -g 10001 "$out/var/lib/toolway"

# The symbols of Node's own debugger are 18 MB.
strip -o "$out/usr/local/bin/node" "$node"
chmod 755 "$out/usr/local/bin/node"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$out/usr/local/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$out/usr/local/bin/npx"
ln -s /opt/toolway/node_modules/toolway/bin/toolway.mjs "$out/usr/local/bin/toolway"
cp /tmp/health.mjs "$out/usr/local/lib/toolway/health.mjs"
chmod 644 "$out/usr/local/lib/toolway/health.mjs"
