"""Long fault runs: crowds of processes, kills at random moments, memory. The short ones run in every test."""
