"""The cases of `benchmarks.peers`: the same question to comparanda and to a peer, by kind of data."""
