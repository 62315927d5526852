"""From verdicts to findings; nothing here knows files or tasks.

The step is called *compare*; the folder has another name because `comparanda.compare` is the public function.
"""
