"""Values of each PHI type, in the many forms that notes give them."""
