"""Generated types and operations."""

CONTRACT_VERSION = "0.1.0"
