"""What the numbers of the library were compared with, and how many digits agree.

    PYTHONPATH=tests python -m accuracy        runs every comparison and writes docs/accuracy.md

A comparison states how many digits agree; the page is written only if all of them are reached.
"""
