package main

import (
	"log/slog"
	"net/http"
	"runtime/debug"
)

// surviving answers 500 when a request panics, and tells the log why.
func surviving(next http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			reason := recover()
			if reason == nil {
				return
			}
			log.Error("request panicked", "path", r.URL.Path, "reason", reason, "stack", string(debug.Stack()))
			http.Error(w, "Something went wrong. The details are in the log.", http.StatusInternalServerError)
		}()
		next.ServeHTTP(w, r)
	})
}
