"""The public functions of the library: compare, combine, gate, leaderboard, agreement, ask and simulate."""
