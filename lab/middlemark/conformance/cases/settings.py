"""The settings an application is verified with."""

SETTINGS = {"MM_MARKET_SUMMARY_SECONDS": "0", "MM_SESSION_SECONDS": "300", "MM_CONFIG_PAGE": "on"}
"""Unless a file of cases says otherwise."""
