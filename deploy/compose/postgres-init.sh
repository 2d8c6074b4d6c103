#!/bin/sh
# Run once by the image of PostgreSQL, when its volume is empty: makes the role of Toolway, which is no superuser (row-level security
# does not hold for one), and its database.
set -eu
psql --quiet --no-psqlrc --set=ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres <<SQL
\set password \`cat /run/secrets/toolway-password\`
create role toolway login nosuperuser createrole password :'password';
create database toolway owner toolway;
SQL
