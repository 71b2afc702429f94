"""Signing: keys and where they are kept and published, signed answers, and x402's signed offers and receipts."""
