// Suspect places of the key, to be ticked off.
