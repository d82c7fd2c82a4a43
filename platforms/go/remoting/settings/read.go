package settings

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"slices"

	"github.com/golang-jwt/jwt/v5"

	"middlemark/process"
	"middlemark/remoting/access"
	"middlemark/remoting/client"
)

// Read reads the settings; get answers an environment variable or the empty text.
func Read(get func(string) string) (Settings, error) {
	r := &process.Reader{Get: get}
	connections := []string{Shared, Unshared}
	s := Settings{
		Host:            r.Text("MM_HOST", "127.0.0.1"),
		Port:            r.Port("MM_PORT", 8080),
		HTTPSPort:       r.Port("MM_HTTPS_PORT", 8443),
		TCPPort:         r.Port("MM_TCP_PORT", 8081),
		TCPSOAPPort:     r.Port("MM_TCP_SOAP_PORT", 8082),
		GRPCPort:        r.Port("MM_GRPC_PORT", 8083),
		NativePort:      r.Port("MM_NATIVE_PORT", 8084),
		Socket:          r.Get("MM_SOCKET"),
		DatabaseURL:     r.DatabaseURL("MM_DATABASE_URL"),
		DatabasePool:    r.Count("MM_DATABASE_POOL", 20, 1),
		Authentication:  r.Choice("MM_AUTHENTICATION", access.All, access.All),
		Connections:     r.Choice("MM_CONNECTIONS", connections, connections),
		Token:           r.Get("MM_TOKEN"),
		TokenKeyFile:    r.Get("MM_TOKEN_KEY"),
		CertificateFile: r.Get("MM_CERTIFICATE"),
		KeyFile:         r.Get("MM_KEY"),
		AuthorityFile:   r.Get("MM_AUTHORITY"),
		Addresses: client.Addresses{
			HTTP: r.HTTPURL("MM_SERVICE_URL"), HTTPS: r.HTTPSURL("MM_SERVICE_HTTPS_URL"),
			TCP: r.HostPort("MM_SERVICE_TCP"), TCPSOAP: r.HostPort("MM_SERVICE_TCP_SOAP"), GRPC: r.HostPort("MM_SERVICE_GRPC"),
			Native: r.HostPort("MM_SERVICE_NATIVE"), Socket: r.Get("MM_SERVICE_SOCKET"),
		},
	}
	named := r.Roles(Client, Service)
	for _, role := range []string{Client, Service} {
		if slices.Contains(named, role) || slices.Contains(named, "all") {
			s.Roles = append(s.Roles, role)
		}
	}
	s.readNeeded(r)
	return s, r.Refused
}

// readNeeded reads the settings that others make necessary.
func (s *Settings) readNeeded(r *process.Reader) {
	if !s.Has(Service) {
		s.DatabaseURL = ""
	} else if s.DatabaseURL == "" {
		r.Refuse("MM_DATABASE_URL", "", process.DatabaseURLForm)
	}
	switch s.Authentication {
	case access.Token:
		s.readToken(r)
	case access.Certificate:
		s.readCertificates(r)
	}
}

func (s *Settings) readToken(r *process.Reader) {
	if s.Has(Client) && s.Token == "" {
		r.Refuse("MM_TOKEN", "", "a JSON Web Token, because MM_AUTHENTICATION is "+access.Token)
	}
	if !s.Has(Service) {
		return
	}
	text, err := os.ReadFile(s.TokenKeyFile)
	if err == nil {
		s.TokenKey, err = jwt.ParseRSAPublicKeyFromPEM(text)
	}
	if err != nil {
		r.Refuse("MM_TOKEN_KEY", s.TokenKeyFile, "a file (PEM) with a public key, because MM_AUTHENTICATION is "+access.Token)
	}
}

func (s *Settings) readCertificates(r *process.Reader) {
	const because = ", because MM_AUTHENTICATION is " + access.Certificate
	certificate, err := tls.LoadX509KeyPair(s.CertificateFile, s.KeyFile)
	if err != nil {
		r.Refuse("MM_CERTIFICATE", s.CertificateFile, "a certificate (PEM) with the key of MM_KEY"+because)
	}
	authority := x509.NewCertPool()
	text, err := os.ReadFile(s.AuthorityFile)
	if err != nil || !authority.AppendCertsFromPEM(text) {
		r.Refuse("MM_AUTHORITY", s.AuthorityFile, "a file (PEM) with certificates"+because)
	}
	s.Identity = &access.Identity{Certificate: certificate, Authority: authority}
}
