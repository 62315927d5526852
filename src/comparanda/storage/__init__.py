"""Result folders: one `.npy` file per column, names and settings as JSON, no pickle.

A folder is written under a temporary name and renamed, so it is never incomplete. Text stays in the
user's files: the folder stores their paths, sizes and digests, and refuses excerpts from a file that
has changed. Input without a file (Python data, standard input) is stored in the folder.
"""
