package main

import (
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"middlemark/brokerage/pgtest"
)

var record = flag.Bool("record", false, "write the pages of this application to specs/brokerage/pages")

// canon is specs/brokerage/pages/pages.toml.
type canon struct {
	Page     []canonicalPage
	Volatile []volatile
}

type canonicalPage struct {
	request
	File   string
	User   string
	Before []request
	Status int
	Modes  map[string]string // values of its process that are not the defaults
}

type request struct {
	Get, Post string
	Form      map[string]string
}

func readCanon(t *testing.T) (c canon) {
	t.Helper()
	if _, err := toml.DecodeFile(pgtest.SpecFile("pages/pages.toml"), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEveryPageEqualsTheCanonicalOne(t *testing.T) {
	c := readCanon(t)
	for _, orders := range []string{"sync", "async-queue"} {
		settings := environment{"MM_CONFIG_PAGE": "on", "MM_MARKET_SUMMARY_SECONDS": "0", "MM_ORDERS": orders}
		eachBinding(t, settings, func(t *testing.T, p *process, _ *pgtest.Database) {
			for _, page := range c.Page {
				if named := page.Modes["orders"]; named == orders || named == "" && orders == "sync" {
					p.mustEqualCanonical(t, page, c.Volatile)
				}
			}
		})
	}
}

func (p *process) mustEqualCanonical(t *testing.T, page canonicalPage, volatiles []volatile) {
	t.Helper()
	got := p.visit(page)
	if got.status != page.Status {
		t.Errorf("%s: the status is %d, want %d", page.File, got.status, page.Status)
	}
	path := pgtest.SpecFile(filepath.Join("pages", page.File))
	if *record && strings.Contains(t.Name(), "local") {
		if err := os.WriteFile(path, []byte(got.body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	canonical, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if difference := firstDifference(t, string(canonical), got.body, volatiles); difference != "" {
		t.Errorf("%s: %s", page.File, difference)
	}
}

func (p *process) visit(page canonicalPage) answer {
	p.t.Helper()
	client := p.browser()
	if page.User != "" {
		client = p.login(page.User)
	}
	for _, before := range page.Before {
		p.send(client, before)
	}
	return p.send(client, page.request)
}

func (p *process) send(client *http.Client, r request) answer {
	p.t.Helper()
	if r.Get != "" {
		return p.get(client, r.Get)
	}
	return p.post(client, r.Post, r.Form)
}

func TestStyleSheetAndImagesEqualTheCanonicalOnes(t *testing.T) {
	p := start(t, environment{"MM_DATABASE_URL": pgtest.New(t).URL}).ready()
	files := map[string]string{"style.css": "text/css; charset=utf-8"}
	images, err := os.ReadDir(pgtest.SpecFile("pages/images"))
	if err != nil {
		t.Fatal(err)
	}
	for _, image := range images {
		files["images/"+image.Name()] = "image/svg+xml"
	}
	for name, contentType := range files {
		canonical, err := os.ReadFile(pgtest.SpecFile("pages/" + name))
		if err != nil {
			t.Fatal(err)
		}
		got := p.get(p.client, "/"+name)
		if got.status != http.StatusOK || got.header.Get("Content-Type") != contentType || got.body != string(canonical) {
			t.Errorf("/%s is not specs/brokerage/pages/%s: %d %s", name, name, got.status, got.header.Get("Content-Type"))
		}
	}
}
