"""What a gate asks of a new system, and how it decides."""
