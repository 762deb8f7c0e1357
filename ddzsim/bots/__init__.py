"""Computer players: what a bot is, the table of names, one file per level (R10)."""
