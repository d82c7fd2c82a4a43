// Package access is authentication: the credentials of a client, and the guard of a service that checks them
// (specs/remoting/protocols.md).
package access

import (
	"crypto/rsa"
	"crypto/subtle"
	"crypto/tls"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"middlemark/remoting"
)

// Kinds of authentication.
const (
	None        = "none"
	Password    = "password"
	Token       = "token"
	Certificate = "certificate"
)

// All is every kind, the default first.
var All = []string{None, Password, Token, Certificate}

const (
	role     = "caller"
	audience = "remoting"
)

// user has a password and roles.
type user struct {
	password string
	roles    []string
}

// users are those of the specification; the client is the first.
var users = map[string]user{
	"caller": {password: "xxx", roles: []string{role}},
	"guest":  {password: "xxx"},
}

// Guard admits calls with the right credentials.
type Guard struct {
	kind   string
	key    *rsa.PublicKey // of tokens
	parser *jwt.Parser
}

// NewGuard asks for a kind of authentication; key is needed for tokens alone.
func NewGuard(kind string, key *rsa.PublicKey) *Guard {
	return &Guard{kind: kind, key: key, parser: jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodRS256.Name}), jwt.WithAudience(audience), jwt.WithExpirationRequired(),
	)}
}

// Caller is the subject of a connection's certificate.
type Caller struct {
	mayCall bool
}

// CallerOf reads the certificate of a connection, nil when it has none. It is asked once for each connection.
func CallerOf(state *tls.ConnectionState) *Caller {
	if state == nil || len(state.PeerCertificates) == 0 {
		return nil
	}
	return &Caller{slices.Contains(state.PeerCertificates[0].Subject.OrganizationalUnit, role)}
}

// Admit refuses a call unless its authorization, or with certificates the caller of its connection, may make it. It
// keeps nothing.
func (g *Guard) Admit(authorization string, caller *Caller) error {
	switch g.kind {
	case None:
		return nil
	case Password:
		return admitPassword(authorization)
	case Token:
		return g.admitToken(authorization)
	}
	if caller == nil {
		return remoting.NotKnown()
	}
	if !caller.mayCall {
		return remoting.NotAllowed()
	}
	return nil
}

func admitPassword(authorization string) error {
	decoded, err := base64.StdEncoding.DecodeString(credentials(authorization, "Basic"))
	if err != nil {
		return remoting.NotKnown()
	}
	name, password, _ := strings.Cut(string(decoded), ":")
	known, exists := users[name]
	if !exists || subtle.ConstantTimeCompare([]byte(password), []byte(known.password)) != 1 {
		return remoting.NotKnown()
	}
	return admitRoles(known.roles)
}

func (g *Guard) admitToken(authorization string) error {
	var claims struct {
		jwt.RegisteredClaims
		Roles []string `json:"roles"`
	}
	_, err := g.parser.ParseWithClaims(credentials(authorization, "Bearer"), &claims, func(*jwt.Token) (any, error) { return g.key, nil })
	if err != nil || claims.Subject == "" {
		return remoting.NotKnown()
	}
	return admitRoles(claims.Roles)
}

func admitRoles(roles []string) error {
	if !slices.Contains(roles, role) {
		return remoting.NotAllowed()
	}
	return nil
}

// credentials is the text after the scheme, empty for another scheme. Schemes are the same in any case (RFC 9110, 11.1).
func credentials(authorization, scheme string) string {
	given, rest, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(given, scheme) {
		return ""
	}
	return strings.TrimSpace(rest)
}
