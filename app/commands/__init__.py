"""One module a command; each has ``run(context) -> int`` and imports what it needs when it runs."""
