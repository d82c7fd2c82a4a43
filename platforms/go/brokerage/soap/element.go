package soap

import "encoding/xml"

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

// note keeps an attribute that means something.
func (e *element) note(attribute xml.Name, value string) {
	switch attribute {
	case xml.Name{Space: schemaInstance, Local: "nil"}:
		e.isNil = value == "true" || value == "1"
	case xml.Name{Space: envelopeSpace, Local: "mustUnderstand"}:
		e.mustUnderstand = value == "1"
	}
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
