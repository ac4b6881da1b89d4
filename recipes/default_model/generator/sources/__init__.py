"""Where notes come from: the corpus, dictated reports, visits, and grammars."""
