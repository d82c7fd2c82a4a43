package process

import (
	"fmt"
	"math"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// SettingError says which variable has which value and what is allowed.
type SettingError struct {
	Variable, Value, Allowed string
}

func (e *SettingError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("%s is missing: %s", e.Variable, e.Allowed)
	}
	return fmt.Sprintf("%s=%s is not allowed: %s", e.Variable, e.Value, e.Allowed)
}

// Forms of addresses.
const (
	DatabaseURLForm = "postgresql://user:password@host:port/name"
	HTTPURLForm     = "http://host:port"
	HTTPSURLForm    = "https://host:port"
	HostPortForm    = "host:port"
)

// Reader reads settings. It keeps the first refusal, so that reading can be a list.
type Reader struct {
	Get     func(string) string // an environment variable, or the empty text
	Refused error
}

// Refuse keeps the first value that is not allowed.
func (r *Reader) Refuse(variable, value, allowed string) {
	if r.Refused == nil {
		r.Refused = &SettingError{variable, value, allowed}
	}
}

// Text is any text, or the default.
func (r *Reader) Text(variable, otherwise string) string {
	if value := r.Get(variable); value != "" {
		return value
	}
	return otherwise
}

// Number is a whole number within its limits, or the default.
func (r *Reader) Number(variable string, otherwise, least, most int) int {
	text := r.Get(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		r.Refuse(variable, text, "a whole number from "+strconv.Itoa(least)+" to "+strconv.Itoa(most))
	}
	return n
}

// Count is a number without an upper limit.
func (r *Reader) Count(variable string, otherwise, least int) int {
	return r.Number(variable, otherwise, least, math.MaxInt32)
}

// Port is a number of a port, or the default; 0 means none.
func (r *Reader) Port(variable string, otherwise int) int {
	return r.Number(variable, otherwise, 1, math.MaxUint16)
}

// Choice takes the first of all values as default.
func (r *Reader) Choice(variable string, all, offered []string) string {
	value := r.Text(variable, all[0])
	switch {
	case !slices.Contains(all, value):
		r.Refuse(variable, value, strings.Join(offered, ", "))
	case !slices.Contains(offered, value):
		r.Refuse(variable, value, "this platform offers "+strings.Join(offered, ", "))
	}
	return value
}

// Roles are the roles that MM_ROLE names, "all" as one of them.
func (r *Reader) Roles(known ...string) []string {
	const variable = "MM_ROLE"
	all := append([]string{"all"}, known...)
	text := r.Text(variable, "all")
	named := strings.Split(text, ",")
	for _, role := range named {
		if !slices.Contains(all, role) {
			r.Refuse(variable, text, "a comma list of "+strings.Join(all, ", "))
		}
	}
	return named
}

// DatabaseURL is the address of a database, or the empty text.
func (r *Reader) DatabaseURL(variable string) string {
	text := r.Get(variable)
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "postgresql" || strings.Trim(u.Path, "/") == "" ||
		u.Hostname() == "" && u.Query().Get("host") == "" { // the folder of a socket is a parameter
		r.Refuse(variable, WithoutPassword(text), DatabaseURLForm)
	}
	return text
}

// HTTPURL is the address of a tier, or the empty text.
func (r *Reader) HTTPURL(variable string) string { return r.address(variable, IsHTTPURL, HTTPURLForm) }

// HTTPSURL is the address of a tier over TLS, or the empty text.
func (r *Reader) HTTPSURL(variable string) string {
	return r.address(variable, func(text string) bool { return isURL(text, "https") }, HTTPSURLForm)
}

// HostPort is the address of a tier over a protocol on TCP, or the empty text.
func (r *Reader) HostPort(variable string) string {
	return r.address(variable, func(text string) bool {
		host, port, err := net.SplitHostPort(text)
		return err == nil && host != "" && port != ""
	}, HostPortForm)
}

func (r *Reader) address(variable string, is func(string) bool, form string) string {
	text := r.Get(variable)
	if text != "" && !is(text) {
		r.Refuse(variable, text, form)
	}
	return text
}

// IsHTTPURL says whether a text is the address of a tier.
func IsHTTPURL(text string) bool { return isURL(text, "http") }

func isURL(text, scheme string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme == scheme && u.Hostname() != "" && u.Port() != "" &&
		u.User == nil && u.Path == "" && u.RawQuery == "" && u.Fragment == ""
}

// OwnURL is where a process that listens on host and port reaches itself.
func OwnURL(host string, port int) string {
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(port))
}

// WithoutPassword is an address as /about and messages show it.
func WithoutPassword(text string) string {
	u, err := url.Parse(text)
	if err != nil { // a password with a stray % or / is the likeliest reason: leave out whatever may be one
		return text[strings.LastIndex(text, "@")+1:]
	}
	if u.Query().Has("password") {
		text, _, _ = strings.Cut(text, "?")
	}
	if u.User == nil {
		return text
	}
	// Cut out, not written anew: what is encoded stays encoded as it was given.
	begin := strings.Index(text, "://") + len("://")
	authority, _, _ := strings.Cut(text[begin:], "/")
	at := strings.LastIndex(authority, "@")
	name, _, _ := strings.Cut(authority[:at], ":")
	return text[:begin] + name + text[begin+at:]
}

// TextUnlessZero is a number for /about; 0 is not set.
func TextUnlessZero(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
