"""Reading: text into words, values, claims and records. Nothing here judges."""
