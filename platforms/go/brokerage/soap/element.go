package soap

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// element is an XML element as it was sent: comments and processing instructions are nothing, attributes are only those
// that mean something in a SOAP message.
type element struct {
	name           xml.Name
	text           []byte // what stands in it outside its own elements
	elements       []*element
	isNil          bool // xsi:nil
	mustUnderstand bool
}

const schemaInstance = "http://www.w3.org/2001/XMLSchema-instance"

var errNoDocument = errors.New("not one XML document")

// parse reads one XML document in UTF-8 without a document type. encoding/xml alone would accept several roots, text
// between them, and prefixes that nobody has declared.
func parse(body []byte) (*element, error) {
	decoder := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\uFEFF"))))
	document := new(element) // its only element is the root
	open := []*element{document}
	spaces := map[string]bool{"": true}
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errNoDocument, err)
		}
		inner := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			begun := newElement(token, spaces)
			if !spaces[token.Name.Space] {
				return nil, fmt.Errorf("%w: the prefix %s is not declared", errNoDocument, token.Name.Space)
			}
			inner.elements = append(inner.elements, begun)
			open = append(open, begun)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			inner.text = append(inner.text, token...)
		case xml.Directive:
			return nil, fmt.Errorf("%w: it has a document type", errNoDocument)
		}
	}
	if len(document.elements) != 1 || len(bytes.Trim(document.text, whiteSpace)) > 0 {
		return nil, errNoDocument
	}
	return document.elements[0], nil
}

// newElement notes the namespaces that the element declares in spaces.
func newElement(token xml.StartElement, spaces map[string]bool) *element {
	begun := &element{name: token.Name}
	for _, attribute := range token.Attr {
		if attribute.Name.Space == "xmlns" || attribute.Name == (xml.Name{Local: "xmlns"}) {
			spaces[attribute.Value] = true
		}
		switch attribute.Name {
		case xml.Name{Space: schemaInstance, Local: "nil"}:
			begun.isNil = attribute.Value == "true" || attribute.Value == "1"
		case xml.Name{Space: envelopeSpace, Local: "mustUnderstand"}:
			begun.mustUnderstand = attribute.Value == "1"
		}
	}
	return begun
}

// named is the elements of that name, in the order in which they stand.
func (e *element) named(name xml.Name) (found []*element) {
	for _, inner := range e.elements {
		if inner.name == name {
			found = append(found, inner)
		}
	}
	return found
}

// only is the one element of that name; false when there is none or more than one.
func (e *element) only(name xml.Name) (*element, bool) {
	found := e.named(name)
	if len(found) != 1 {
		return nil, false
	}
	return found[0], true
}
