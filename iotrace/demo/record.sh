#!/bin/sh
# Record the demo again: record.sh ZLIB_SOURCE_TARBALL, as root, or with DEMO_HOME set to a folder to work in.
# Needs iotrace, strace, gcc, make and zstd.
set -e
tarball=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
iotrace=$(command -v iotrace)
home=${DEMO_HOME:-/home/demo}
mkdir "$home"
cd "$home"
case $tarball in
*.gz) gzip -dc "$tarball" ;;
*.bz2) bzip2 -dc "$tarball" ;;
*.xz) xz -dc "$tarball" ;;
*) cat "$tarball" ;;
esac >zlib.tar
cp "$here/work.sh" .
env -i HOME="$home" PATH=/usr/bin:/bin LANG=C.UTF-8 \
	"$iotrace" record -o demo.iotrace -- sh work.sh </dev/null >record.out 2>&1
# The data read and written is private and half of the log: blank it, as strace -s 0 does.
moved='p?(read|write)v?(64|2)?( resumed>|\([0-9]+<[^>]*>, )'
string='"([^"\\]|\\.)*"(\.\.\.)?'
zstd -dqc demo.strace.zst |
	LC_ALL=C sed -E -e "s/^([0-9]+ +[0-9.]+ (<\.\.\. )?$moved)$string/\1\"\".../" \
		-e "s/iov_base=$string/iov_base=\"\".../g" |
	zstd -19 -qfo "$here/demo.strace.zst"
cp demo.iotrace/known_file.parquet "$here/demo.known-files.parquet"
