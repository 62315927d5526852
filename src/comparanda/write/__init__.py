"""From columns to files: the mirror of `read`, one module a format. Nothing is lost without being said."""
