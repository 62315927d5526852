// Charts.
