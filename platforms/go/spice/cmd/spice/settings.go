package main

import (
	"crypto/tls"
	"os"
	"strconv"

	"middlemark/process"
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

// readSettings reads the settings; get answers an environment variable or the empty text.
func readSettings(get func(string) string) (s settings, err error) {
	r := &process.Reader{Get: get}
	s.host, s.port = r.Text("MM_HOST", "127.0.0.1"), r.Port("MM_PORT", 8080)
	s.site = get("MM_SITE")
	if found, err := os.Stat(s.site); err != nil || !found.IsDir() {
		return s, &process.SettingError{Variable: "MM_SITE", Value: s.site, Allowed: "a folder with files"}
	}
	all := []string{none, overTLS}
	s.encryption = r.Choice("MM_ENCRYPTION", all, all)
	if s.encryption == overTLS {
		return withTLS(s, r)
	}
	return s, r.Refused
}

// withTLS reads what a listener over TLS needs.
func withTLS(s settings, r *process.Reader) (settings, error) {
	if s.tlsPort = r.Port("MM_TLS_PORT", 0); r.Refused != nil {
		return s, r.Refused
	}
	if s.tlsPort == 0 {
		return s, &process.SettingError{Variable: "MM_TLS_PORT", Allowed: "a port from 1 to 65535, because MM_ENCRYPTION is " + overTLS}
	}
	if s.tlsPort == s.port {
		return s, &process.SettingError{Variable: "MM_TLS_PORT", Value: strconv.Itoa(s.tlsPort), Allowed: "another port than MM_PORT"}
	}
	s.certificateFile, s.keyFile = r.Get("MM_TLS_CERTIFICATE"), r.Get("MM_TLS_KEY")
	for variable, file := range map[string]string{"MM_TLS_CERTIFICATE": s.certificateFile, "MM_TLS_KEY": s.keyFile} {
		if _, err := os.Stat(file); err != nil {
			return s, &process.SettingError{Variable: variable, Value: file, Allowed: "a file (PEM)"}
		}
	}
	var err error
	s.certificate, err = tls.LoadX509KeyPair(s.certificateFile, s.keyFile)
	if err != nil {
		return s, &process.SettingError{Variable: "MM_TLS_CERTIFICATE", Value: s.certificateFile, Allowed: "a certificate (PEM) with the key of MM_TLS_KEY"}
	}
	return s, nil
}

// texts are the settings for /about, by name without MM_; what is not in effect is the empty text.
func (s settings) texts() map[string]string {
	return map[string]string{
		"host": s.host, "port": strconv.Itoa(s.port), "site": s.site, "encryption": s.encryption,
		"tls_port": process.TextUnlessZero(s.tlsPort), "tls_certificate": s.certificateFile, "tls_key": s.keyFile,
	}
}
