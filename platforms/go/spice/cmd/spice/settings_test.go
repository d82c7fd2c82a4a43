package main

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"middlemark/process"
)

func read(t *testing.T, variables map[string]string) (settings, error) {
	t.Helper()
	all := map[string]string{"MM_SITE": t.TempDir()}
	maps.Copy(all, variables)
	return readSettings(func(name string) string { return all[name] })
}

func TestTheDefaultsAreThoseOfTheSpecification(t *testing.T) {
	s, err := read(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"host": "127.0.0.1", "port": "8080", "site": s.site, "encryption": "none",
		"tls_port": "", "tls_certificate": "", "tls_key": "",
	}
	if got := s.texts(); !maps.Equal(got, want) {
		t.Errorf("the settings are %v\nwant %v", got, want)
	}
}

func TestWithoutTLSItsSettingsAreNotInEffect(t *testing.T) {
	s, err := read(t, map[string]string{"MM_TLS_PORT": "8443", "MM_TLS_KEY": "/nowhere"})
	if err != nil || s.texts()["tls_port"] != "" || s.texts()["tls_key"] != "" {
		t.Errorf("the settings are %v, the error %v", s.texts(), err)
	}
}

func TestAWrongValueIsRefusedWithItsVariable(t *testing.T) {
	encrypted := map[string]string{"MM_ENCRYPTION": "tls"}
	for _, c := range []struct {
		variable, value string
		beside          map[string]string
	}{
		{"MM_PORT", "0", nil},
		{"MM_PORT", "http", nil},
		{"MM_SITE", "/nowhere", nil},
		{"MM_SITE", "", nil},
		{"MM_ENCRYPTION", "offered", nil},
		{"MM_TLS_PORT", "", encrypted},
		{"MM_TLS_PORT", "8080", encrypted},
		{"MM_TLS_CERTIFICATE", "/nowhere", map[string]string{
			"MM_ENCRYPTION": "tls", "MM_TLS_PORT": "8443", "MM_TLS_KEY": "settings.go",
		}},
		{"MM_TLS_CERTIFICATE", "settings.go", map[string]string{
			"MM_ENCRYPTION": "tls", "MM_TLS_PORT": "8443", "MM_TLS_KEY": "settings.go",
		}},
	} {
		variables := maps.Clone(c.beside)
		if variables == nil {
			variables = map[string]string{}
		}
		variables[c.variable] = c.value
		_, err := read(t, variables)
		var wrong *process.SettingError
		if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), c.variable) {
			t.Errorf("%s=%s is answered with %v", c.variable, c.value, err)
		}
	}
}
