"""Pure formulas for dense Gaussian recurrences, one idea per file."""
