"""For sellers: ASGI middleware. It needs no framework and works in front of any."""

from assay402.asgi.terms import TermsMiddleware as TermsMiddleware
