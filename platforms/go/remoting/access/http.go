package access

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// connection is the caller of an HTTP connection: read once, by its first request.
type connection struct {
	once   sync.Once
	caller *Caller
}

type connectionKey struct{}

// ConnContext is http.Server.ConnContext of a server whose requests are admitted.
func ConnContext(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, new(connection))
}

// Challenge names the credentials that a refused request needs, as RFC 9110 (15.5.2) wants it; none with certificates.
func (g *Guard) Challenge() string {
	return map[string]string{Password: `Basic realm="` + audience + `"`, Token: "Bearer"}[g.kind]
}

// AdmitRequest is Admit for a request over HTTP.
func (g *Guard) AdmitRequest(r *http.Request) error {
	var caller *Caller
	if on, has := r.Context().Value(connectionKey{}).(*connection); has {
		on.once.Do(func() { on.caller = CallerOf(r.TLS) })
		caller = on.caller
	}
	return g.Admit(r.Header.Get("Authorization"), caller)
}
