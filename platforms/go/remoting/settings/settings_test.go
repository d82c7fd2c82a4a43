package settings

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"middlemark/process"
	"middlemark/remoting/access"
)

const databaseURL = "postgresql://user:secret@127.0.0.1:5432/northwind"

func read(variables map[string]string) (Settings, error) {
	return Read(func(name string) string { return variables[name] })
}

func TestASettingThatIsNotAllowedIsNamed(t *testing.T) {
	noKey := filepath.Join(t.TempDir(), "file.pem")
	if err := os.WriteFile(noKey, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		variable  string
		variables map[string]string
	}{
		{"MM_DATABASE_URL", map[string]string{"MM_DATABASE_URL": ""}},
		{"MM_DATABASE_URL", map[string]string{"MM_DATABASE_URL": "mysql://host/name"}},
		{"MM_ROLE", map[string]string{"MM_ROLE": "web"}},
		{"MM_PORT", map[string]string{"MM_PORT": "0"}},
		{"MM_TCP_PORT", map[string]string{"MM_TCP_PORT": "65536"}},
		{"MM_DATABASE_POOL", map[string]string{"MM_DATABASE_POOL": "0"}},
		{"MM_AUTHENTICATION", map[string]string{"MM_AUTHENTICATION": "kerberos"}},
		{"MM_CONNECTIONS", map[string]string{"MM_CONNECTIONS": "both"}},
		{"MM_SERVICE_URL", map[string]string{"MM_SERVICE_URL": "https://127.0.0.1:1"}},
		{"MM_SERVICE_HTTPS_URL", map[string]string{"MM_SERVICE_HTTPS_URL": "http://127.0.0.1:1"}},
		{"MM_SERVICE_GRPC", map[string]string{"MM_SERVICE_GRPC": "127.0.0.1"}},
		{"MM_TOKEN", map[string]string{"MM_AUTHENTICATION": access.Token, "MM_TOKEN_KEY": noKey}},
		{"MM_TOKEN_KEY", map[string]string{"MM_AUTHENTICATION": access.Token, "MM_TOKEN": "a.b.c"}},
		{"MM_TOKEN_KEY", map[string]string{"MM_AUTHENTICATION": access.Token, "MM_TOKEN": "a.b.c", "MM_TOKEN_KEY": noKey}},
		{"MM_CERTIFICATE", map[string]string{"MM_AUTHENTICATION": access.Certificate, "MM_CERTIFICATE": noKey, "MM_KEY": noKey}},
	} {
		variables := map[string]string{"MM_DATABASE_URL": databaseURL}
		maps.Copy(variables, c.variables)
		var refused *process.SettingError
		if _, err := read(variables); !errors.As(err, &refused) || refused.Variable != c.variable {
			t.Errorf("%v: %v, want a refusal of %s", c.variables, err, c.variable)
		}
	}
}

func TestAClientNeedsNoDatabaseAndNoKeyOfTokens(t *testing.T) {
	s, err := read(map[string]string{"MM_ROLE": Client, "MM_AUTHENTICATION": access.Token, "MM_TOKEN": "a.b.c"})
	if err != nil || s.Has(Service) || s.DatabaseURL != "" {
		t.Errorf("%+v, %v", s, err)
	}
	if shown := s.Client().Shown.Authorization; shown != "Bearer a.b.c" {
		t.Errorf("the client shows %q", shown)
	}
	if shown := s.Texts()["token"]; shown != "secret" {
		t.Errorf("/about shows %q", shown)
	}
}

func TestAServiceNeedsNoToken(t *testing.T) {
	s, err := read(map[string]string{"MM_ROLE": Service, "MM_AUTHENTICATION": access.Password, "MM_DATABASE_URL": databaseURL})
	if err != nil || s.Has(Client) {
		t.Errorf("%+v, %v", s, err)
	}
	if shown := s.Texts()["token"]; shown != "" {
		t.Errorf("/about shows the token %q, and there is none", shown)
	}
	if shown := s.Texts()["database_url"]; shown != "postgresql://user@127.0.0.1:5432/northwind" {
		t.Errorf("/about shows %q", shown)
	}
}
