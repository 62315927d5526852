"""Which errors systems share, and what two of them could do together."""
