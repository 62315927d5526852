"""Tests mirror the package; what several of them need stands beside this file."""
