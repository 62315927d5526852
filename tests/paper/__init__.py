"""The tables of Tuggener (2017) and files from which they can be counted again."""
