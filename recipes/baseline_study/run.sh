#!/bin/sh
# Taggers that begin with notes alone: sh recipes/baseline_study/run.sh meddocan|corpus WORK [options of compare]
#
# WORK is the folder of recipes/meddocan_study or recipes/corpus_study: its parts.sh has laid out the
# parts there. Goes on after an interruption.
set -eu
study=$1
work=$2
shift 2
recipe=$(CDPATH='' cd "$(dirname "$0")" && pwd)
cp "$recipe/$study.toml" "$work/baselines.toml"
cd "$work"
case $study in
  meddocan) incognote compare corpus/train/xml --validation parts/dev/train --test parts/dev/test \
    -o baselines --grid baselines.toml --threads 1 "$@" ;;
  corpus) test -d G || cp -r "$recipe/../../corpus/G" G
    incognote compare train --validation test --test G -o baselines --grid baselines.toml --threads 1 "$@" ;;
  *) echo "say meddocan or corpus, not $study" >&2; exit 2 ;;
esac
