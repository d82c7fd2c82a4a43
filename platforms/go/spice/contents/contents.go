// Package contents answers with what specs/spice compares: files, a handler's page, the pages of a template engine.
package contents

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	pageType  = "text/html; charset=utf-8"
	templates = 100
	// The date in page.html, which templates replace by today's.
	writtenDate = "2000-01-01"
)

//go:embed page.html
var page []byte

// Contents are the answers of one application; Now tells the time.
type Contents struct {
	Site string // folder with the files
	Now  func() time.Time

	pages map[string]*template.Template // by the number in the address
}

// New are the contents with the files of a folder.
func New(site string, now func() time.Time) (*Contents, error) {
	c := &Contents{Site: site, Now: now, pages: make(map[string]*template.Template, templates)}
	text := strings.Replace(string(page), writtenDate, "{{.Today}}", 1)
	for n := range templates {
		number := strconv.Itoa(n + 1)
		parsed, err := template.New(number).Parse(text)
		if err != nil {
			return nil, err
		}
		c.pages[number] = parsed
	}
	return c, nil
}

// Handle adds the addresses of the contents.
func (c *Contents) Handle(mux *http.ServeMux) {
	mux.Handle("GET /files/", http.StripPrefix("/files/", http.FileServer(http.Dir(c.Site))))
	mux.HandleFunc("GET /handler", c.handler)
	mux.HandleFunc("GET /template/{number}", c.template)
}

// Today is the day in UTC: what a template calls.
func (c *Contents) Today() string { return c.Now().UTC().Format(time.DateOnly) }

func (c *Contents) handler(w http.ResponseWriter, _ *http.Request) {
	send(w, page)
}

func (c *Contents) template(w http.ResponseWriter, r *http.Request) {
	asked, there := c.pages[r.PathValue("number")]
	if !there {
		http.NotFound(w, r)
		return
	}
	var rendered bytes.Buffer
	if err := asked.Execute(&rendered, c); err != nil {
		http.Error(w, "The page cannot be shown.", http.StatusInternalServerError)
		return
	}
	send(w, rendered.Bytes())
}

// send answers with a page; with its length it is not sent in chunks.
func send(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", pageType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // a client that has gone needs no answer
}
