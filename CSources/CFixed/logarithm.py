"""The table of logarithm.c: for the middle of each 64th between 1 and 2, its logarithm to base 2 in Q32 and its reciprocal in Q32.

    logarithm.py > logarithm_table.h
"""
from fractions import Fraction
from math import log2

print("// Made by logarithm.py.")
for i in range(64):
    middle = 1 + Fraction(2 * i + 1, 128)
    print(f"{{{round(log2(middle) * 2**32)}u, {round(2**32 / middle)}u}},")
