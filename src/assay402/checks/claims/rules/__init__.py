"""The rules: one statement of the contract each."""
