"""What places, institutions and jobs share: mentions, scope, spelling, and who claims which fake."""
