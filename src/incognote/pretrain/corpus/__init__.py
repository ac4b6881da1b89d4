"""Text for pretraining: read, cut into sentences, tokenised once, kept in memory-mapped shards.

- `prepare` makes a folder of shards from text files and a tokenizer; `shards.Shards` reads it.

    prepare(["notes.jsonl.gz"], tokenizer, "shards/")
    shards = Shards("shards/", tokenizer)
    for document in shards.train:
        for ids, word_starts in shards.sentences(document): ...
"""
