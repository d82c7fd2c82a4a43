package soap

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

var (
	errNoDocument = errors.New("not one XML document")
	errDuplicate  = errors.New("an attribute stands twice")
	errMisplaced  = errors.New("something stands where it must not")
	errCharacter  = errors.New("a character that XML has not")
)

// document is an XML document that is being read.
type document struct {
	decoder *xml.Decoder
	open    []begun // the first is no element: its only element is to be the root
}

// begun is an element whose end has not been read.
type begun struct {
	*element
	written xml.Name // its Space is the prefix
	scope   *scope
}

// parse reads one XML document in UTF-8 without a document type. encoding/xml alone would accept several roots and text
// between them, a declaration anywhere, prefixes that nobody has declared, attributes that stand twice or without white
// space between them, and references to half a character.
func parse(body []byte) (*element, error) {
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	if !utf8.Valid(body) {
		return nil, fmt.Errorf("%w: it is not UTF-8", errNoDocument)
	}
	d := document{xml.NewDecoder(bytes.NewReader(body)), []begun{{element: new(element), scope: outermost}}}
	for {
		start := d.decoder.InputOffset()
		token, err := d.decoder.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = d.take(token, body[start:d.decoder.InputOffset()])
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errNoDocument, err)
		}
	}
	if len(d.open) != 1 || len(d.open[0].elements) != 1 {
		return nil, errNoDocument
	}
	return d.open[0].elements[0], nil
}

// take adds a token, which was written so.
func (d *document) take(token xml.Token, written []byte) error {
	inner := d.open[len(d.open)-1]
	switch token := token.(type) {
	case xml.StartElement:
		return d.begin(token, written)
	case xml.EndElement:
		if token.Name != inner.written {
			return errMisplaced
		}
		d.open = d.open[:len(d.open)-1]
	case xml.CharData:
		if len(d.open) == 1 && len(bytes.Trim(written, whiteSpace)) > 0 {
			return errMisplaced
		}
		if !bytes.HasPrefix(written, []byte("<![CDATA[")) && refersToSurrogate(written) {
			return errCharacter
		}
		inner.text = append(inner.text, token...)
	case xml.ProcInst:
		first := d.decoder.InputOffset() == int64(len(written))
		if strings.EqualFold(token.Target, "xml") && (!first || !declaration.Match(written)) {
			return errMisplaced
		}
		return checkCharacters(written)
	case xml.Comment:
		return checkCharacters(written)
	case xml.Directive:
		return errMisplaced
	}
	return nil
}

// begin opens an element.
func (d *document) begin(token xml.StartElement, written []byte) error {
	outer := d.open[len(d.open)-1]
	scope, err := outer.scope.within(token.Attr)
	if err != nil {
		return err
	}
	name, err := scope.element(token.Name)
	if err != nil {
		return err
	}
	if !separated(written) {
		return errMisplaced
	}
	if refersToSurrogate(written) {
		return errCharacter
	}
	inner := &element{name: name}
	seen := make(map[xml.Name]bool)
	for _, attribute := range token.Attr {
		name, err := scope.attribute(attribute.Name)
		if err != nil {
			return err
		}
		if seen[name] {
			return errDuplicate
		}
		seen[name] = true
		inner.note(name, attribute.Value)
	}
	outer.elements = append(outer.elements, inner)
	d.open = append(d.open, begun{inner, token.Name, scope})
	return nil
}

// separated says whether every value of a start tag's attributes ends before white space or with the tag.
func separated(tag []byte) bool {
	for {
		opening := bytes.IndexAny(tag, `"'`)
		if opening < 0 {
			return true
		}
		value := tag[opening+1:]
		tag = value[bytes.IndexByte(value, tag[opening])+1:]
		if !bytes.ContainsRune([]byte(whiteSpace+"/>"), rune(tag[0])) {
			return false
		}
	}
}

// declaration is XML's, of a document in UTF-8.
var declaration = regexp.MustCompile(`^<\?xml\s+version\s*=\s*(?:"1\.0"|'1\.0')` +
	`(?:\s+encoding\s*=\s*(?i:"utf-8"|'utf-8'))?(?:\s+standalone\s*=\s*(?:"(?:yes|no)"|'(?:yes|no)'))?\s*\?>$`)

var reference = regexp.MustCompile(`&#(x?)([0-9a-fA-F]+);`)

// refersToSurrogate says whether a character is written as the number of half of one, which encoding/xml takes for U+FFFD.
func refersToSurrogate(written []byte) bool {
	if !bytes.Contains(written, []byte("&#")) {
		return false
	}
	for _, found := range reference.FindAllSubmatch(written, -1) {
		form := 10
		if len(found[1]) > 0 {
			form = 16
		}
		number, err := strconv.ParseInt(string(found[2]), form, 32)
		if err == nil && utf16.IsSurrogate(rune(number)) {
			return true
		}
	}
	return false
}

// checkCharacters looks for what encoding/xml looks for in texts and values alone.
func checkCharacters(written []byte) error {
	if bytes.ContainsFunc(written, func(r rune) bool {
		return (r < ' ' && !strings.ContainsRune(whiteSpace, r)) || r == '\uFFFE' || r == '\uFFFF'
	}) {
		return errCharacter
	}
	return nil
}
