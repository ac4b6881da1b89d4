#!/bin/sh
# ELMo, ModernBERT, XLNet and DeBERTa, small: sh recipes/families_study/run.sh TEXT WORK [options of compare]
#
# TEXT is clinical text to pretrain on, such as text/clinical.jsonl of recipes/clinical_albert; WORK is the
# folder of recipes/baseline_study, with its parts. Goes on after an interruption.
set -eu
text=$1
work=$2
shift 2
recipe=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p "$work/tokenizers" "$work/pretrained"

learn() {
  name=$1
  shift
  test -d "$work/tokenizers/$name" ||
    incognote tokenizer "$text" -o "$work/tokenizers/$name" --vocab-size 4000 "$@"
}
learn words --kind unigram --cased
learn deberta --kind wordpiece --cased
learn xlnet --kind unigram --family xlnet
learn modernbert --kind bpe --family modernbert

pretrain() {
  name=$1
  shift
  incognote pretrain "$text" -o "$work/pretrained/$name" --resume --threads 1 --precision bf16 \
    --save-seconds 30 --evaluate-every 50 --evaluate-examples 100 --final-examples 400 "$@"
}
small="--size layers=4 --size hidden_size=256 --size heads=4"
# ELMo reads words by their characters; the tokenizer only says where text may be cut.
pretrain elmo --preset elmo-small --tokenizer "$work/tokenizers/words" --steps 300 --batch-size 64 \
  --size cell_size=512 --size projection_size=128 --size 'filters=[[1,32],[2,32],[3,64],[4,128],[5,256]]' \
  --objective-option words=10000 --objective-option samples=1024
pretrain modernbert --preset modernbert-base --tokenizer "$work/tokenizers/modernbert" --steps 150 \
  $small --size feed_forward_size=512 --batch-pieces 2048 --lengths 256:0.8,1024:0.2 --lr 2e-3 \
  --warmup 0.05 --decay-share 0.2
pretrain xlnet --preset xlnet-base --tokenizer "$work/tokenizers/xlnet" --steps 60 \
  $small --size feed_forward_size=1024 --batch-pieces 1024 --lengths 128 --lr 1e-3 --warmup 0.1 \
  --objective-option memory=64

cp "$recipe/grid.toml" "$work/families.toml"
cd "$work"
incognote compare train/A --validation test/A --test G -o families --grid families.toml --threads 1 "$@"
