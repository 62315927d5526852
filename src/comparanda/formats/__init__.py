"""From files and objects to columns: one module a format."""
