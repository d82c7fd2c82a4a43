package web

import (
	"embed"
	"net/http"
	"strconv"

	"middlemark/brokerage"
	"middlemark/pages"
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

var templates = pages.Parse(files)

// show shows a page; one that cannot be rendered counts as an error.
func (s *Site) show(v visit, status int, p page) {
	p.UserID = v.userID
	err := templates.Show(v.w, status, p.Name, p)
	if err != nil {
		s.options.Log.Error("page failed", "path", v.r.URL.Path, "error", err)
	}
	if err != nil || status >= http.StatusInternalServerError {
		s.errors.Add(1)
	}
}

func errorPage(status int, message string) page {
	return page{
		Name: "error", Title: "Error", Message: message,
		Content: map[string]string{"Heading": strconv.Itoa(status) + " " + http.StatusText(status)},
	}
}
