"""What probabilistic outputs are worth, each alone and every two together."""
