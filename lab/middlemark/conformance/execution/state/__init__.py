"""The database of a case: put back to what was loaded, compared with it, made to fail, audited."""
