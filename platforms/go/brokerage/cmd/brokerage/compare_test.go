package main

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// volatile is a value that may differ (specs/brokerage/pages/README.md).
type volatile struct {
	Selector  string
	Attribute string // empty: the text
	Pattern   string
	Optional  bool
}

// firstDifference compares two pages as the specification says and tells where they part, or nothing.
func firstDifference(t *testing.T, want, got string, volatiles []volatile) string {
	t.Helper()
	wantLines, gotLines := outline(t, want, volatiles), outline(t, got, volatiles)
	for i := range max(len(wantLines), len(gotLines)) {
		w, g := lineAt(wantLines, i), lineAt(gotLines, i)
		if w != g {
			return fmt.Sprintf("after %q comes %q, want %q", lineAt(wantLines, i-1), g, w)
		}
	}
	return ""
}

func lineAt(lines []string, i int) string {
	if i < 0 || i >= len(lines) {
		return "(nothing)"
	}
	return lines[i]
}

// outline is the page with one line for each doctype, element, end and text.
func outline(t *testing.T, page string, volatiles []volatile) []string {
	t.Helper()
	document, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range volatiles {
		replaceVolatile(t, document, v)
	}
	var lines []string
	walk(document, &lines)
	return lines
}

func replaceVolatile(t *testing.T, document *html.Node, v volatile) {
	t.Helper()
	selector, err := cascadia.ParseGroup(v.Selector)
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(`^(?:` + v.Pattern + `)$`)
	for _, element := range cascadia.QueryAll(document, selector) {
		switch {
		case v.Optional:
			element.Attr = slices.DeleteFunc(element.Attr, func(a html.Attribute) bool { return a.Key == v.Attribute })
		case v.Attribute != "":
			for i, attribute := range element.Attr {
				if attribute.Key == v.Attribute && pattern.MatchString(attribute.Val) {
					element.Attr[i].Val = "volatile"
				}
			}
		case element.FirstChild != nil && pattern.MatchString(strings.TrimSpace(element.FirstChild.Data)):
			element.FirstChild.Data = "volatile"
		}
	}
}

func walk(node *html.Node, lines *[]string) {
	switch node.Type {
	case html.TextNode:
		if text := strings.Join(strings.Fields(node.Data), " "); text != "" {
			*lines = append(*lines, text)
		}
	case html.ElementNode:
		*lines = append(*lines, startTag(node))
	case html.DoctypeNode:
		*lines = append(*lines, "<!DOCTYPE "+node.Data+">")
	}
	for child := node.FirstChild; child != nil; child = child.NextSibling {
		walk(child, lines)
	}
	if node.Type == html.ElementNode {
		*lines = append(*lines, "</"+node.Data+">")
	}
}

func startTag(node *html.Node) string {
	attributes := make([]string, len(node.Attr))
	for i, attribute := range node.Attr {
		value := attribute.Val
		switch attribute.Key {
		case "class":
			words := strings.Fields(value)
			slices.Sort(words)
			value = strings.Join(words, " ")
		case "href":
			if decoded, err := url.PathUnescape(value); err == nil {
				value = decoded
			}
		}
		attributes[i] = fmt.Sprintf(" %s=%q", attribute.Key, value)
	}
	slices.Sort(attributes)
	return "<" + node.Data + strings.Join(attributes, "") + ">"
}
