"""Questions about probable spans: which to ask first, what an answer changes, how fast quality rises."""
