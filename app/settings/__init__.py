"""Settings: one definition, the sources it is read from, and where each effective value came from.

Nothing is imported here: pydantic costs a tenth of a second, and ``skilldeck --help`` must not pay it.
"""
