package main

import (
	"crypto/tls"
	"fmt"
	"math"
	"os"
	"strconv"
)

const (
	none    = "none"
	overTLS = "tls"
)

// settings are the values of the variables in specs/spice/README.md that are in effect.
type settings struct {
	host, site, encryption   string
	port, tlsPort            int // tlsPort is 0 without TLS
	certificateFile, keyFile string
	certificate              tls.Certificate // of both files
}

// settingError says which variable has which value and what is allowed.
type settingError struct {
	variable, value, allowed string
}

func (e *settingError) Error() string {
	if e.value == "" {
		return fmt.Sprintf("%s is missing: %s", e.variable, e.allowed)
	}
	return fmt.Sprintf("%s=%s is not allowed: %s", e.variable, e.value, e.allowed)
}

// readSettings reads the settings; get answers an environment variable or the empty text.
func readSettings(get func(string) string) (s settings, err error) {
	s.host = textOr(get("MM_HOST"), "127.0.0.1")
	if s.port, err = port("MM_PORT", textOr(get("MM_PORT"), "8080")); err != nil {
		return s, err
	}
	s.site = get("MM_SITE")
	if found, err := os.Stat(s.site); err != nil || !found.IsDir() {
		return s, &settingError{"MM_SITE", s.site, "a folder with files"}
	}
	s.encryption = textOr(get("MM_ENCRYPTION"), none)
	switch s.encryption {
	case none:
		return s, nil
	case overTLS:
		return withTLS(s, get)
	}
	return s, &settingError{"MM_ENCRYPTION", s.encryption, none + ", " + overTLS}
}

// withTLS reads what a listener over TLS needs.
func withTLS(s settings, get func(string) string) (settings, error) {
	var err error
	if s.tlsPort, err = port("MM_TLS_PORT", get("MM_TLS_PORT")); err != nil {
		return s, err
	}
	if s.tlsPort == s.port {
		return s, &settingError{"MM_TLS_PORT", strconv.Itoa(s.tlsPort), "another port than MM_PORT"}
	}
	s.certificateFile, s.keyFile = get("MM_TLS_CERTIFICATE"), get("MM_TLS_KEY")
	for variable, file := range map[string]string{"MM_TLS_CERTIFICATE": s.certificateFile, "MM_TLS_KEY": s.keyFile} {
		if _, err := os.Stat(file); err != nil {
			return s, &settingError{variable, file, "a file (PEM)"}
		}
	}
	s.certificate, err = tls.LoadX509KeyPair(s.certificateFile, s.keyFile)
	if err != nil {
		return s, &settingError{"MM_TLS_CERTIFICATE", s.certificateFile, "a certificate (PEM) with the key of MM_TLS_KEY"}
	}
	return s, nil
}

func textOr(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func port(variable, text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > math.MaxUint16 {
		return 0, &settingError{variable, text, "a port from 1 to 65535"}
	}
	return n, nil
}

// texts are the settings for /about, by name without MM_; what is not in effect is the empty text.
func (s settings) texts() map[string]string {
	tlsPort := ""
	if s.tlsPort != 0 {
		tlsPort = strconv.Itoa(s.tlsPort)
	}
	return map[string]string{
		"host": s.host, "port": strconv.Itoa(s.port), "site": s.site, "encryption": s.encryption,
		"tls_port": tlsPort, "tls_certificate": s.certificateFile, "tls_key": s.keyFile,
	}
}
