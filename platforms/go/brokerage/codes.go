package brokerage

import "middlemark/refusals"

// The codes of specs/brokerage/README.md besides those of every application.
const (
	UnknownUser       refusals.Code = "unknown_user"
	UnknownSymbol     refusals.Code = "unknown_symbol"
	UnknownHolding    refusals.Code = "unknown_holding"
	UserExists        refusals.Code = "user_exists"
	InsufficientFunds refusals.Code = "insufficient_funds"
	AlreadyBeingSold  refusals.Code = "already_being_sold"
)
