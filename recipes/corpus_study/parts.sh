#!/bin/sh
# Lays out sets A to D in WORK, four fifths to learn from, one to choose on: sh recipes/corpus_study/parts.sh WORK
set -eu
work=$1
corpus=$(CDPATH='' cd "$(dirname "$0")" && pwd)/../../corpus
mkdir -p "$work/parts"

for set in A B C D; do
  test -d "$work/parts/$set" ||
    incognote corpus split "$corpus/$set" -o "$work/parts/$set" --ratio 80:20 --stratify
done
for part in train test; do
  test -d "$work/$part" || {
    mkdir -p "$work/$part.new"
    for set in A B C D; do cp -r "$work/parts/$set/$part" "$work/$part.new/$set"; done
    mv "$work/$part.new" "$work/$part"
  }
done
