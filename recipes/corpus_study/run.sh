#!/bin/sh
# The comparison on the English corpus: sh recipes/corpus_study/run.sh WORK [options of compare]
#
# Learns from four fifths of sets A to D, chooses on the last fifth, and tests the chosen on the
# sealed set E: to be run once, when no choice depends on E any more. Goes on after an interruption.
set -eu
work=$1
shift
recipe=$(CDPATH='' cd "$(dirname "$0")" && pwd)
corpus=$recipe/../../corpus
mkdir -p "$work/tokenizers"

sh "$recipe/parts.sh" "$work"
test -f "$work/train.jsonl" ||
  incognote corpus convert "$work/train" -o "$work/train.jsonl" --to jsonl

learn() {
  test -d "$work/tokenizers/$1" ||
    incognote tokenizer "$work/train.jsonl" -o "$work/tokenizers/$1" --vocab-size 4000 --kind "$2" $3
}
learn albert unigram ""
learn bert wordpiece --cased
learn roberta bpe ""

test -d "$work/E" || cp -r "$corpus/E" "$work/E"
cp "$recipe/grid.toml" "$work/grid.toml"
cd "$work"
incognote compare train --validation test --test E -o report --grid grid.toml --threads 1 "$@"
