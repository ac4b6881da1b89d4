"""What detection and surrogates both know of the world, each thing once, as tables beside the code."""
