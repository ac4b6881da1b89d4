#!/bin/sh
# The study in miniature: sh recipes/study_corpus/run.sh WORK [options of compare]
#
# Notes with the study's proportions, three tokenizers learned from them, and one comparison whose
# report has all of the study's tables. Goes on after an interruption.
set -eu
work=$1
shift
recipe=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p "$work/tokenizers"

test -d "$work/notes" || {
  python "$recipe/make_notes.py" -o "$work/notes.new" --notes "${NOTES:-60}"
  mv "$work/notes.new" "$work/notes"
}
test -f "$work/notes.jsonl" || incognote corpus convert "$work/notes" -o "$work/notes.jsonl" --to jsonl
learn() {
  test -d "$work/tokenizers/$1" ||
    incognote tokenizer "$work/notes.jsonl" -o "$work/tokenizers/$1" --vocab-size 1500 --kind "$2"
}
learn bert wordpiece
learn roberta bpe
learn albert unigram

cp "$recipe/grid.toml" "$work/grid.toml"
cd "$work"
incognote compare notes -o report --grid grid.toml --with-rules --threads 1 "$@"
