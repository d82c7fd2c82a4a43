"""Loads a specification's data sets into databases and proves which rows they hold."""
