"""An HTTP request as files describe it, and `${name}` in its texts: what the steps of sessions and cases share."""
