#!/bin/sh
# An afternoon's work on a small C library in a minute: unpack zlib, build and test it, look for something, change
# two files, build and test again, pack it up.
set -e
tar xf zlib.tar
cd zlib-*/
./configure >../configure.out
make -j2 >../make.out 2>&1
make test >../test.out 2>&1
grep -rln inflateInit . >../users-of-inflate
sed -i 's/^#define DEF_WBITS.*/&  \/* the default window *\//' zutil.h
printf '\n/* End of file. */\n' >>inflate.c
make -j2 >>../make.out 2>&1
make test >>../test.out 2>&1
cp zlib.h zconf.h ..
cd ..
tar czf zlib-changed.tar.gz zlib-*/
md5sum zlib-changed.tar.gz >zlib-changed.md5
