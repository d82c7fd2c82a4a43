package refusals

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckText refuses a text outside its limits in Unicode characters; name is the domain's word for it.
func CheckText(name, text string, least, most int) error {
	length := utf8.RuneCountInString(text)
	switch {
	case length < least:
		return New(InvalidInput, "The %s is missing.", name)
	case length > most:
		return New(InvalidInput, "The %s has more than %d characters.", name, most)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return New(InvalidInput, "The %s must not contain control characters.", name)
	case text != strings.TrimSpace(text):
		return New(InvalidInput, "The %s must neither begin nor end with white space.", name)
	}
	return nil
}

// First lets checks be written as a list.
func First(refusals ...error) error {
	for _, refusal := range refusals {
		if refusal != nil {
			return refusal
		}
	}
	return nil
}
