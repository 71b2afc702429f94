"""The rules of the dialect check: facts in, one statement out, each with its own page."""
