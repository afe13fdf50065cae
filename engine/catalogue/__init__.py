"""The library as a catalogue: its documents one by one, and what another cut would make of them."""
