"""The rules of the terms check: what they are given in, one statement out."""
