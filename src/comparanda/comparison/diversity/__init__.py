"""Who errs together: patterns, diversity, clusters."""
