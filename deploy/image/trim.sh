#!/bin/sh
# Takes what no run needs out of installed packages: headers and static libraries of PostgreSQL, the keychain of desktops, and the
# pinned Node's headers. Puts that Node into a folder of its own, to be the one of the image.
#   trim.sh NODE_MODULES FILE_OF_NODE
set -eu
modules=$1
node=$2
cp "$modules"/node-linux-*/bin/node "$node"
rm -rf "$modules"/node-linux-* "$modules/.bin/node" "$modules/@napi-rs" "$modules/.package-lock.json"
for native in "$modules"/@embedded-postgres/*/native; do
  rm -rf "$native/include" "$native/lib/postgresql/pgxs" "$native/lib/pkgconfig"
  find "$native" -name '*.a' -delete
done
