package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// signer signs tokens.
type signer struct {
	t   *testing.T
	key *rsa.PrivateKey
}

func newSigner(t *testing.T) signer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return signer{t, key}
}

// keyFile is the file by which a service checks its tokens.
func (s signer) keyFile() string {
	s.t.Helper()
	public, err := x509.MarshalPKIXPublicKey(&s.key.PublicKey)
	if err != nil {
		s.t.Fatal(err)
	}
	return written(s.t, "PUBLIC KEY", public)
}

// token is one of a caller, with other claims instead.
func (s signer) token(instead jwt.MapClaims) string {
	s.t.Helper()
	claims := jwt.MapClaims{"sub": "caller", "roles": []string{"caller"}, "aud": "remoting", "exp": time.Now().Add(time.Hour).Unix()}
	for name, value := range instead {
		claims[name] = value
	}
	signed, err := jwt.NewWithClaims(jwt.SigningMethodRS256, claims).SignedString(s.key)
	if err != nil {
		s.t.Fatal(err)
	}
	return signed
}

func written(t *testing.T, kind string, content []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// authority signs certificates.
type authority struct {
	t           *testing.T
	key         *ecdsa.PrivateKey
	certificate *x509.Certificate
	file        string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, key: newKey(t)}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	content, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.certificate, err = x509.ParseCertificate(content); err != nil {
		t.Fatal(err)
	}
	a.file = written(t, "CERTIFICATE", content)
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// signed is the settings of a process with a certificate, which trusts the authority.
func (a *authority) signed(user, unit string) environment {
	a.t.Helper()
	key := newKey(a.t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: user, OrganizationalUnit: []string{unit}},
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	content, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	return environment{
		"MM_AUTHENTICATION": "certificate", "MM_AUTHORITY": a.file,
		"MM_CERTIFICATE": written(a.t, "CERTIFICATE", content), "MM_KEY": written(a.t, "PRIVATE KEY", private),
	}
}
