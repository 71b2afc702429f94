"""What every room stands on: asks and answers, checks, errors, strict and canonical JSON. No input or output."""
