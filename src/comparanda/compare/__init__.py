"""From verdicts to findings; nothing here knows files or tasks."""
