package tables

import (
	"bytes"
	"encoding/xml"
	"fmt"
)

// Space is the name space of table sets.
const Space = "urn:middlemark:tables"

var root = xml.StartElement{Name: xml.Name{Space: Space, Local: "tableSet"}}

// Document is the set as XML.
func (s *Set) Document() ([]byte, error) {
	var document bytes.Buffer
	encoder := xml.NewEncoder(&document)
	if err := encoder.EncodeElement(s, root); err != nil {
		return nil, err
	}
	return document.Bytes(), encoder.Close()
}

// Parse reads a document.
func Parse(document []byte) (*Set, error) {
	var read struct {
		XMLName xml.Name `xml:"urn:middlemark:tables tableSet"`
		Set
	}
	if err := xml.Unmarshal(document, &read); err != nil {
		return nil, err
	}
	return &read.Set, nil
}

// MarshalXML writes <row> with a <value> or a <null/> for each column.
func (r Row) MarshalXML(encoder *xml.Encoder, start xml.StartElement) error {
	if err := encoder.EncodeToken(start); err != nil {
		return err
	}
	for i := range r {
		name := xml.StartElement{Name: xml.Name{Local: "value"}}
		if r[i].Missing {
			name.Name.Local = "null"
		}
		if err := encoder.EncodeToken(name); err != nil {
			return err
		}
		if err := encoder.EncodeToken(xml.CharData(r[i].Text)); err != nil {
			return err
		}
		if err := encoder.EncodeToken(name.End()); err != nil {
			return err
		}
	}
	return encoder.EncodeToken(start.End())
}

// UnmarshalXML reads the elements of a row in their order.
func (r *Row) UnmarshalXML(decoder *xml.Decoder, start xml.StartElement) error {
	for {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			value := Value{Missing: token.Name.Local == "null"}
			if !value.Missing && token.Name.Local != "value" {
				return fmt.Errorf("a row has an element %s", token.Name.Local)
			}
			if err := decoder.DecodeElement(&value.Text, &token); err != nil {
				return err
			}
			*r = append(*r, value)
		case xml.EndElement:
			return nil
		}
	}
}
