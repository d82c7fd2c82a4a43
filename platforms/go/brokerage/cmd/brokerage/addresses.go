package main

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"middlemark/brokerage/json"
)

// asTheyAre keeps addresses such as //home from http.ServeMux, which would redirect them to the cleaned one: here they
// are addresses of their own, an operation that does not exist or a page that does not.
func asTheyAre(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		clean := path.Clean(r.URL.Path)
		if (clean == r.URL.Path || clean+"/" == r.URL.Path) && clean+"/" != json.Path {
			mux.ServeHTTP(w, r)
			return
		}
		family := "/"
		if strings.HasPrefix(r.URL.Path, json.Path) {
			family = json.Path
		}
		answer, _ := mux.Handler(&http.Request{Method: r.Method, Host: r.Host, URL: &url.URL{Path: family}})
		answer.ServeHTTP(w, r)
	})
}
