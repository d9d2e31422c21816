"""The edge."""
