#!/bin/sh
# Lays out the parts of MEDDOCAN in WORK: sh recipes/meddocan_study/parts.sh ARCHIVES WORK
set -eu
archives=$1
work=$2
mkdir -p "$work"

for part in train dev; do
  test -d "$work/corpus/$part" || tar -xJf "$archives/meddocan_${part}_xml.tar.xz" -C "$work"
done
# The shared task's test part is not public here: half of dev selects, the other half tests.
test -d "$work/parts/dev" ||
  incognote corpus split "$work/corpus/dev/xml" -o "$work/parts/dev" --ratio 50:50 --stratify
