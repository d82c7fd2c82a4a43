"""The page `docs/reference/conformance.md`: what each platform was verified to do, from reports of `verify`."""
