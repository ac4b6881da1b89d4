"""Networks in ONNX form: sessions that run them, and the folder a model lives in.

Knows PHI types only as the names that a model's description gives settings for, and never imports
torch; onnxruntime loads when a network is opened.
"""
