"""The rules: the eight checks, and the verdict on them."""
