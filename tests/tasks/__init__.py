"""The judges, and what they say of labels that only one side uses."""
