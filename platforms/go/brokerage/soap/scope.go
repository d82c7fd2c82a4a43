package soap

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// scope is one prefix that an element declares, and those that are declared around it. The prefix of the default name
// space is empty.
type scope struct {
	prefix, space string
	outer         *scope
}

const declaring = "xmlns"

// outermost is what a document need not declare.
var outermost = &scope{"", "", &scope{declaring, "http://www.w3.org/2000/xmlns/",
	&scope{"xml", "http://www.w3.org/XML/1998/namespace", nil}}}

// within is the scope of an element with these attributes.
func (s *scope) within(attributes []xml.Attr) (*scope, error) {
	for _, attribute := range attributes {
		switch name := attribute.Name; {
		case name == xml.Name{Local: declaring}:
			s = &scope{"", attribute.Value, s}
		case name.Space == declaring && (attribute.Value == "" || name.Local == declaring):
			return nil, fmt.Errorf("the prefix %s must not be declared so", name.Local)
		case name.Space == declaring:
			s = &scope{name.Local, attribute.Value, s}
		}
	}
	return s, nil
}

// element is the name of an element as it was written.
func (s *scope) element(written xml.Name) (xml.Name, error) {
	if strings.Contains(written.Local, ":") {
		return written, fmt.Errorf("%q is no name", written.Local)
	}
	for at := s; at != nil; at = at.outer {
		if at.prefix == written.Space {
			return xml.Name{Space: at.space, Local: written.Local}, nil
		}
	}
	return written, fmt.Errorf("the prefix %s is not declared", written.Space)
}

// attribute is the name of an attribute as it was written; without a prefix it is in no namespace.
func (s *scope) attribute(written xml.Name) (xml.Name, error) {
	if written.Space == "" {
		return outermost.element(written)
	}
	return s.element(written)
}
