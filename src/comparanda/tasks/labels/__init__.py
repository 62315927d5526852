"""Tags and labels: evaluation and voting."""
