package soap

import (
	"bytes"
	_ "embed"
	"net/http"
	"strings"
)

// wsdl is specs/brokerage/brokerage.wsdl; a test holds the two equal.
//
//go:embed brokerage.wsdl
var wsdl string

// writtenAddress is the one address in the file.
const writtenAddress = `location="http://127.0.0.1:8080` + Path + `"`

// description is the WSDL with the address under which it was asked for.
func description(r *http.Request) []byte {
	var address bytes.Buffer
	escape(&address, "http://"+r.Host+Path)
	return []byte(strings.Replace(wsdl, writtenAddress, `location="`+address.String()+`"`, 1))
}
