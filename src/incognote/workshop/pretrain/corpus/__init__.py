"""Text for pretraining: read, cut into sentences, tokenised once, kept in memory-mapped shards.

- `text_files`: documents from text, JSONL, JSON, CSV and tar files, compressed or not.
- `sentences`: where sentences are in clinical text, and a long document in parts.
- `encoding`: their tokens, quickly, in several processes.
- `prepare`: makes a folder of shards, and finishes one; some documents are kept from training.
- `shards`: what a shard holds, and `Shards`, which reads them all. `arrays`: arrays end to end.

What is in flight is bounded by its length, so memory grows neither with the text nor with its
documents (`benchmarks/prepare_memory.py` measures it). Only a line of tens of megabytes takes more,
as sentences are looked for in all of it at once.

    shards = prepare(["notes.jsonl.gz"], tokenizer, "shards/", workers=4)
    for document in shards.train:
        for ids, word_starts in shards.sentences(document): ...
"""
