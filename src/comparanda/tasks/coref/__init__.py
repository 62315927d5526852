"""The judge of chains of mentions (DEFINITIONS 8)."""
