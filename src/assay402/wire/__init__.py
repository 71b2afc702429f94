"""The x402 wire: names, encodings and objects of both versions, read without losing what was sent."""
