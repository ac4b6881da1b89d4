"""Plain text for pretraining, from the forms in which corpora are published.

What is here, in reading order:

- `sources.py`: the kinds of source by name: how documents are read from their files, and cleaned.
- `mediawiki.py`: pages of a dump; `wikitext.py`: an article's sentences without its markup.
- `books.py`: Project Gutenberg's books without licences and headings.
- `web.py`: OpenWebText, CC-News and Stories.
- `run.py`: one call from files to a folder of JSONL that `incognote tokenizer` and `incognote pretrain`
  read, begun or gone on with.

Nothing here needs torch; processes that clean have no memory for it.
"""
