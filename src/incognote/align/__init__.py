"""Between character spans and what models and scores count: words, tokens, tags, windows.

The one copy that training, the runtime and scoring share.
"""
