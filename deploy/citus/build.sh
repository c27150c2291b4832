#!/bin/sh
# Builds Citus for an installed PostgreSQL into a directory of its own, and changes nothing outside of it:
#   deploy/citus/build.sh /tmp/citus                      # fetches the published source
#   CITUS_SOURCE=/path/of/it deploy/citus/build.sh /tmp/citus
# The directory then has a copy of PostgreSQL's programs with the extension in it: $directory/root$(pg_config --bindir).
# It needs git, make, a C compiler, flex, and the headers of PostgreSQL, lz4, zstd, OpenSSL and Kerberos
# (Debian: apt-get install git make gcc flex postgresql-server-dev-15 liblz4-dev libzstd-dev libssl-dev libkrb5-dev).
set -eu
version=v13.2.0
directory=${1:?'usage: deploy/citus/build.sh <directory>'}
pg_config=${PG_CONFIG:-pg_config}
bin=$("$pg_config" --bindir)
share=$("$pg_config" --sharedir)
lib=$("$pg_config" --pkglibdir)
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
source="$directory/source"
root="$directory/root"
if [ -e "$root$share/extension/citus.control" ] && [ -x "$root$bin/postgres" ]; then
  echo "$root$bin"
  exit
fi
if [ -n "${CITUS_SOURCE:-}" ]; then
  rm -rf "$source"
  cp -R "$CITUS_SOURCE" "$source"
elif [ ! -e "$source/configure" ]; then
  git clone --quiet --depth 1 --branch "$version" https://github.com/citusdata/citus.git "$source" >&2
fi
cd "$source"
# A clone's files have the times of the clone: make would take configure for older than its source, and want autoconf.
touch configure
# PostgreSQL 15.20 declares a function that Citus defines for itself: Citus keeps its own under another name.
sed -i '/^have_createdb_privilege(void)$/i #define have_createdb_privilege citus_have_createdb_privilege' \
  src/include/pg_version_compat.h
PG_CONFIG="$pg_config" ./configure --without-libcurl >&2
make -s -j2 >&2
make -s install "DESTDIR=$root" >&2
# PostgreSQL finds its files from where its programs are: the copy loads the extension, the installation does not know of it.
for part in "$bin" "$lib" "$share"; do
  mkdir -p "$root$part"
  cp -RL "$part/." "$root$part/"
done
echo "$root$bin"
