"""The findings against a reference, against identities, and against programs of others."""
