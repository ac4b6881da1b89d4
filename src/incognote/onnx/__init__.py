"""Networks in ONNX form: sessions that run them, and the folder a model lives in.

Knows nothing of PHI, and never imports torch; onnxruntime loads when a network is opened.
"""
