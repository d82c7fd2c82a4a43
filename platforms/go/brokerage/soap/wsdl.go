package soap

import (
	_ "embed"
	"html"
	"io"
	"net/http"
	"strings"
)

// wsdl is specs/brokerage/brokerage.wsdl; a test holds the two equal.
//
//go:embed brokerage.wsdl
var wsdl string

// writtenAddress is the one address in the file.
const writtenAddress = "http://127.0.0.1:8080" + path

// describe answers the WSDL with the address under which it was asked for.
func describe(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", contentType)
	_, _ = io.WriteString(w, strings.Replace(wsdl, writtenAddress, html.EscapeString("http://"+r.Host+path), 1)) // a client that has gone needs none
}
