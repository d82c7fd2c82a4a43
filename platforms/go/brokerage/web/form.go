package web

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"
)

var errNotUTF8 = errors.New("the form is not UTF-8")

// readForm reads the values of a request: a POST's from its body and from nothing else, a GET's from the query.
func readForm(r *http.Request) (url.Values, error) {
	if r.Method != http.MethodPost {
		return parseForm(r.URL.RawQuery)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return url.Values{}, nil
	}
	return parseForm(string(body))
}

// parseForm differs from url.ParseQuery in two points of the specification: a semicolon is a character like any other,
// and what is not UTF-8 cannot be read.
func parseForm(text string) (url.Values, error) {
	values, err := url.ParseQuery(strings.ReplaceAll(text, ";", "%3B"))
	if err != nil {
		return nil, err
	}
	for name, several := range values {
		if !utf8.ValidString(name) || !utf8.ValidString(strings.Join(several, "")) {
			return nil, errNotUTF8
		}
	}
	return values, nil
}
