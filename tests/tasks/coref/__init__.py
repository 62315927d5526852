"""Chains of mentions: all metrics, the classes of mentions, and what is compared of them."""
