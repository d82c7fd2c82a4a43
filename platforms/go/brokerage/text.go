package brokerage

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// checkText refuses a text outside its limits in Unicode characters; name is the domain's word for it.
func checkText(name, text string, least, most int) error {
	length := utf8.RuneCountInString(text)
	switch {
	case length < least:
		return Refuse(InvalidInput, "The %s is missing.", name)
	case length > most:
		return Refuse(InvalidInput, "The %s has more than %d characters.", name, most)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return Refuse(InvalidInput, "The %s must not contain control characters.", name)
	case text != strings.TrimSpace(text):
		return Refuse(InvalidInput, "The %s must neither begin nor end with white space.", name)
	}
	return nil
}

// firstRefusal lets checks be written as a list.
func firstRefusal(refusals ...error) error {
	for _, refusal := range refusals {
		if refusal != nil {
			return refusal
		}
	}
	return nil
}
