"""Text for pretraining: read, cut into sentences, tokenised once, kept in memory-mapped shards.

- `files`, `compression`, `reading`: documents from text, JSONL, JSON, CSV and tar files.
- `sentences`: where sentences are in clinical text.
- `chunks`, `encoding`: a document's pieces, quickly; `workers`: in several processes.
- `prepare`: makes a folder of shards, and finishes one; `manifest` says what it is made of.
- `shard_file`, `shards`: what a shard holds, and `Shards`, which reads them all.

    shards = prepare(["notes.jsonl.gz"], tokenizer, "shards/", workers=4)
    for document in shards.train:
        for ids, word_starts in shards.sentences(document): ...
"""
