"""Text for pretraining: read, cut into sentences, tokenised once, kept in memory-mapped shards.

- `files`, `compression`, `reading`: documents from text, JSONL, JSON, CSV and tar files.
- `sentences`: where sentences are in clinical text; `parts`: a long document in several.
- `batches`: which of them stand in which shard; `held_out`: which are kept from training.
- `chunks`, `encoding`: their pieces, quickly; `workers`: in several processes.
- `prepare`: makes a folder of shards, and finishes one; `manifest` says what it is made of.
- `shard_file`, `shards`: what a shard holds, and `Shards`, which reads them all.
- `joining`, `ranges`: arrays end to end, and slices of them.

What is in flight is bounded by its length, so memory grows neither with the text nor with its
documents (`benchmarks/prepare_memory.py` measures it). Only a line of tens of megabytes takes more,
as sentences are looked for in all of it at once.

    shards = prepare(["notes.jsonl.gz"], tokenizer, "shards/", workers=4)
    for document in shards.train:
        for ids, word_starts in shards.sentences(document): ...
"""
