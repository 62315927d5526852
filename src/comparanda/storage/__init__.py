"""Result folders: one `.npy` file a column, names and settings as JSON, no pickle.

A folder is written to a temporary name and renamed, so it is there whole or not at all. Text stays
in the user's files: the folder keeps their paths, sizes and digests, and refuses excerpts from a
file that changed. What has no file (Python data, standard input) is kept in the folder.
"""
