"""Faults that are put into a copy of the program, one at a time, to see that a test fails."""
