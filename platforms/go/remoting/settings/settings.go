// Package settings reads the environment variables of specs/remoting/README.md, all of them and nothing else.
package settings

import (
	"crypto/rsa"
	"slices"
	"strconv"
	"strings"

	"middlemark/process"
	"middlemark/remoting/access"
	"middlemark/remoting/client"
)

// Roles of a process.
const (
	Client  = "client"
	Service = "service"
)

// Shared keeps connections to the service, Unshared makes one for each call.
const (
	Shared   = "shared"
	Unshared = "unshared"
)

// Settings are the values in effect.
type Settings struct {
	Roles          []string // in the order client, service
	Host           string
	Port           int
	HTTPSPort      int
	TCPPort        int
	TCPSOAPPort    int
	GRPCPort       int
	NativePort     int
	Socket         string
	DatabaseURL    string
	DatabasePool   int
	Authentication string
	Connections    string
	Addresses      client.Addresses
	Token          string

	TokenKeyFile, CertificateFile, KeyFile, AuthorityFile string

	TokenKey *rsa.PublicKey   // nil unless tokens are checked
	Identity *access.Identity // nil without certificates
}

// Has says whether the process carries the role.
func (s Settings) Has(role string) bool { return slices.Contains(s.Roles, role) }

// Client is how the process's client calls.
func (s Settings) Client() client.Settings {
	return client.Settings{
		Authentication: s.Authentication, Shown: access.CredentialsOf(s.Authentication, s.Token, s.Identity),
		Addresses: s.Addresses, Keep: s.Connections == Shared,
	}
}

// shownToken says that there is a token, and not which one (specs/README.md).
func (s Settings) shownToken() string {
	if s.Token == "" {
		return ""
	}
	return "secret"
}

// Texts are the settings for /about, by name without MM_; without a value the empty text.
func (s Settings) Texts() map[string]string {
	return map[string]string{
		"role":              strings.Join(s.Roles, ","),
		"host":              s.Host,
		"port":              strconv.Itoa(s.Port),
		"https_port":        strconv.Itoa(s.HTTPSPort),
		"tcp_port":          strconv.Itoa(s.TCPPort),
		"tcp_soap_port":     strconv.Itoa(s.TCPSOAPPort),
		"grpc_port":         strconv.Itoa(s.GRPCPort),
		"native_port":       strconv.Itoa(s.NativePort),
		"socket":            s.Socket,
		"database_url":      process.WithoutPassword(s.DatabaseURL),
		"database_pool":     strconv.Itoa(s.DatabasePool),
		"authentication":    s.Authentication,
		"connections":       s.Connections,
		"service_url":       s.Addresses.HTTP,
		"service_https_url": s.Addresses.HTTPS,
		"service_tcp":       s.Addresses.TCP,
		"service_tcp_soap":  s.Addresses.TCPSOAP,
		"service_grpc":      s.Addresses.GRPC,
		"service_native":    s.Addresses.Native,
		"service_socket":    s.Addresses.Socket,
		"token":             s.shownToken(),
		"token_key":         s.TokenKeyFile,
		"certificate":       s.CertificateFile,
		"key":               s.KeyFile,
		"authority":         s.AuthorityFile,
	}
}
