"""Calls the services of a platform with clients that others wrote, each made from the contract by its own tool."""
