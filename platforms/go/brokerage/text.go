package brokerage

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// checkText refuses a text outside its limits (in Unicode characters) with the first message of the specification's
// table that applies; name is the domain's word for it.
func checkText(name, text string, least, most int) error {
	switch {
	case utf8.RuneCountInString(text) < least:
		return Refuse(InvalidInput, "The %s is missing.", name)
	case utf8.RuneCountInString(text) > most:
		return Refuse(InvalidInput, "The %s has more than %d characters.", name, most)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, isControl):
		return Refuse(InvalidInput, "The %s must not contain control characters.", name)
	case text != strings.TrimSpace(text):
		return Refuse(InvalidInput, "The %s must neither begin nor end with white space.", name)
	}
	return nil
}

// isControl is true as well for the two characters of Unicode's that XML cannot carry though they control nothing.
func isControl(r rune) bool { return unicode.IsControl(r) || r == '\uFFFE' || r == '\uFFFF' }

// firstRefusal lets checks be written as a list in the order in which a form shows its fields.
func firstRefusal(refusals ...error) error {
	for _, refusal := range refusals {
		if refusal != nil {
			return refusal
		}
	}
	return nil
}
