#!/bin/sh
# Makes Temporal's two databases, or brings them to this version. Host, user and password come from SQL_HOST, SQL_PORT, SQL_USER, SQL_PASSWORD.
set -eu

prepare() {
  database=$1
  versions=$2
  tool() { temporal-sql-tool --plugin postgres12 --endpoint "$SQL_HOST" --port "$SQL_PORT" --user "$SQL_USER" --password "$SQL_PASSWORD" --database "$database" "$@"; }
  tool create-database
  # Only a database without Temporal's version table needs the first step.
  tool update-schema --schema-dir "$versions" || { tool setup-schema --version 0.0 && tool update-schema --schema-dir "$versions"; }
}

prepare temporal /etc/temporal/schema/postgresql/v12/temporal/versioned
prepare temporal_visibility /etc/temporal/schema/postgresql/v12/visibility/versioned
