package access

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
)

// Credentials identify a client.
type Credentials struct {
	Authorization string      // of each call; empty: none
	TLS           *tls.Config // of each connection; nil: it is not encrypted
}

// CredentialsOf shows a kind of authentication. token is needed for tokens alone, identity for certificates.
func CredentialsOf(kind, token string, identity *Identity) Credentials {
	switch kind {
	case Password:
		return Credentials{Authorization: "Basic " + base64.StdEncoding.EncodeToString([]byte("caller:"+users["caller"].password))}
	case Token:
		return Credentials{Authorization: "Bearer " + token}
	case Certificate:
		return Credentials{TLS: identity.Client()}
	}
	return Credentials{}
}

// Identity is a process's certificate, and the authority that it trusts.
type Identity struct {
	Certificate tls.Certificate
	Authority   *x509.CertPool
}

// Server is how a service encrypts connections: it wants a certificate of the authority.
func (i *Identity) Server() *tls.Config {
	return &tls.Config{
		Certificates: []tls.Certificate{i.Certificate}, ClientCAs: i.Authority, ClientAuth: tls.RequireAndVerifyClientCert,
	}
}

// Client is how a client does.
func (i *Identity) Client() *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{i.Certificate}, RootCAs: i.Authority}
}
