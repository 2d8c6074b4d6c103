#!/bin/sh
# Makes the secrets of the Compose files, once: passwords of PostgreSQL and Redis, the addresses with them, and the key that seals what is
# stored. Files that are there are kept. Keep a copy of encryption-key elsewhere: without it nothing that was sealed can be opened.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
cd secrets
random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
# The folder is closed to others; the files are readable, because Compose mounts each of them for the user of a container.
keep() { [ -e "$1" ] || { printf '%s' "$2" >"$1" && chmod 444 "$1"; }; }
keep postgres-password "$(random)"
keep toolway-password "$(random)"
keep redis-password "$(random)"
keep encryption-key "$(random)"
keep database-url "postgres://toolway:$(cat toolway-password)@postgres:5432/toolway"
keep redis-url "redis://:$(cat redis-password)@redis:6379/0"
