"""The workshop that makes models: encoders, tokenizers, pretraining, fine-tuning, comparison, export.

What de-identifies notes does not import it; an exported model folder is all that passes between them.
"""
