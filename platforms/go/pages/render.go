// Package pages is what the web tier of every application of this platform has: templates, files, sessions, values that were typed.
package pages

import (
	"bytes"
	"html/template"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// Templates are pages by name, each in the same layout.
type Templates map[string]*template.Template

// Parse reads templates/layout.html and every other template beside it.
func Parse(files fs.FS) Templates {
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil { // the pattern is right
		panic(err)
	}
	parsed := make(Templates, len(names))
	for _, name := range names {
		page := strings.TrimSuffix(strings.TrimPrefix(name, "templates/"), ".html")
		if page != "layout" {
			parsed[page] = template.Must(template.ParseFS(files, "templates/layout.html", name))
		}
	}
	return parsed
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Show renders the whole page before the first byte is sent, so that a failure can still become an error page.
func (t Templates) Show(w http.ResponseWriter, status int, name string, content any) error {
	buffer := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buffer)
	buffer.Reset()
	if err := t[name].ExecuteTemplate(buffer, "layout.html", content); err != nil {
		http.Error(w, "Something went wrong. The details are in the log.", http.StatusInternalServerError)
		return err
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(buffer.Len()))
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = buffer.WriteTo(w) // a browser that has gone needs no answer
	return nil
}

// OfferFiles offers the style sheet and the images below static/.
func OfferFiles(mux *http.ServeMux, files fs.FS) {
	names, err := fs.Glob(files, "static/images/*")
	if err != nil { // the pattern is right
		panic(err)
	}
	for _, path := range append(names, "static/style.css") {
		mux.HandleFunc("GET "+strings.TrimPrefix(path, "static"), func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "max-age=3600")
			http.ServeFileFS(w, r, files, path)
		})
	}
}

// Typed is the value with the name: of the body of a POST, of the query of any other request.
func Typed(r *http.Request, name string) string {
	if r.Method == http.MethodPost {
		return r.PostForm.Get(name)
	}
	return r.Form.Get(name)
}
