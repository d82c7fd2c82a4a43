package web

import (
	"bytes"
	"embed"
	"html/template"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"middlemark/brokerage"
)

//go:embed templates static
var files embed.FS

// page is what the layout needs; Content is the named page's own.
type page struct {
	Name    string // data-page, and the template's file name
	Title   string
	UserID  string
	Message string
	Alerts  []brokerage.Order
	Content any
}

var templates = parseTemplates("welcome", "home", "account", "portfolio", "quotes", "order", "register", "glossary",
	"config", "statistics", "error")

func parseTemplates(names ...string) map[string]*template.Template {
	parsed := make(map[string]*template.Template, len(names))
	for _, name := range names {
		parsed[name] = template.Must(template.ParseFS(files, "templates/layout.html", "templates/"+name+".html"))
	}
	return parsed
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// show renders the whole page before the first byte is sent, so that a failure can still become an error page.
func (s *Site) show(v visit, status int, p page) {
	p.UserID = v.userID
	buffer := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buffer)
	buffer.Reset()
	if err := templates[p.Name].ExecuteTemplate(buffer, "layout.html", p); err != nil {
		s.options.Log.Error("page failed", "path", v.r.URL.Path, "error", err)
		s.errors.Add(1)
		http.Error(v.w, "Something went wrong. The details are in the log.", http.StatusInternalServerError)
		return
	}
	if status >= http.StatusInternalServerError {
		s.errors.Add(1)
	}
	header := v.w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(buffer.Len()))
	header.Set("Cache-Control", "no-store")
	v.w.WriteHeader(status)
	_, _ = buffer.WriteTo(v.w) // a browser that has gone needs no answer
}

func errorPage(status int, message string) page {
	return page{
		Name: "error", Title: "Error", Message: message,
		Content: map[string]string{"Heading": strconv.Itoa(status) + " " + http.StatusText(status)},
	}
}

// staticFiles names the style sheet and the images.
func staticFiles() []string {
	names, err := fs.Glob(files, "static/images/*")
	if err != nil { // the pattern is right
		panic(err)
	}
	for i, name := range names {
		names[i] = strings.TrimPrefix(name, "static/")
	}
	return append(names, "style.css")
}

// file answers an embedded file.
func file(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=3600")
		http.ServeFileFS(w, r, files, "static/"+name)
	}
}
