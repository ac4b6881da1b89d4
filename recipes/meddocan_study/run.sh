#!/bin/sh
# The study in miniature on MEDDOCAN: sh recipes/meddocan_study/run.sh ARCHIVES WORK [options of compare]
#
# ARCHIVES has meddocan_train_xml.tar.xz and meddocan_dev_xml.tar.xz; all that is made goes to WORK.
# The same command goes on after an interruption; `--budget 2h` runs what fits.
set -eu
archives=$1
work=$2
shift 2
recipe=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p "$work/tokenizers"

sh "$recipe/parts.sh" "$archives" "$work"
test -f "$work/train.jsonl" ||
  incognote corpus convert "$work/corpus/train/xml" -o "$work/train.jsonl" --to jsonl

learn() {
  test -d "$work/tokenizers/$1" ||
    incognote tokenizer "$work/train.jsonl" -o "$work/tokenizers/$1" --vocab-size 8000 --kind "$2" $3
}
learn albert unigram ""
learn bert wordpiece --cased
learn roberta bpe ""

cp "$recipe/grid.toml" "$work/grid.toml"
cd "$work"
incognote compare corpus/train/xml --validation parts/dev/train --test parts/dev/test \
  -o report --grid grid.toml --threads 1 "$@"
