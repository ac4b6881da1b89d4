"""Learn a vocabulary from text: the pieces of ALBERT's, XLNet's, BERT's and RoBERTa's kind.

- `unigram`, `wordpiece`, `byte_bpe`: each kind, by the library that has it.
- `word_counts`: words with their number, which is all that a vocabulary is learned from.
- `folder`: writes what `incognote.workshop.tokenization.load` and `transformers` read, with equal ids.

The same text gives the same vocabulary, on every machine and in every run.
"""
