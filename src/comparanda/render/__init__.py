"""From findings to text: console, JSON, Markdown, CSV, LaTeX."""
