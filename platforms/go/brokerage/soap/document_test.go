package soap

import (
	"encoding/xml"
	"errors"
	"testing"
)

func TestWhatIsNotWellFormedIsNoDocument(t *testing.T) {
	for sentence, text := range map[string]string{
		"an attribute twice":                             `<a b="1" b="1"/>`,
		"an attribute twice, by two prefixes":            `<a xmlns:x="urn:x" xmlns:y="urn:x" x:b="1" y:b="2"/>`,
		"a declaration of a prefix twice":                `<a xmlns:x="urn:x" xmlns:x="urn:x"/>`,
		"a default namespace twice":                      `<a xmlns="urn:x" xmlns="urn:x"/>`,
		"an element's prefix undeclared":                 `<x:a/>`,
		"an attribute's prefix undeclared":               `<a x:b="1"/>`,
		"a prefix after the end of its element":          `<a><b xmlns:x="urn:x"/><x:b/></a>`,
		"a prefix that is a declared namespace":          `<a xmlns="x"><x:b/></a>`,
		"a prefix of no namespace":                       `<a xmlns:x=""/>`,
		"a declared declaration":                         `<a xmlns:xmlns="urn:x"/>`,
		"a name that begins with a colon":                `<:a/>`,
		"a name that ends with a colon":                  `<a b:="1"/>`,
		"a declaration behind white space":               ` <?xml version="1.0"?><a/>`,
		"a declaration behind a comment":                 `<!-- --><?xml version="1.0"?><a/>`,
		"a declaration inside":                           `<a><?xml version="1.0"?></a>`,
		"a declaration at the end":                       `<a/><?xml version="1.0"?>`,
		"two declarations":                               xml.Header + xml.Header + `<a/>`,
		"a declaration in capital letters":               `<?XML version="1.0"?><a/>`,
		"a declaration without version":                  `<?xml encoding="UTF-8"?><a/>`,
		"a declaration of more":                          `<?xml version="1.0" more="1"?><a/>`,
		"a declaration of another encoding":              `<?xml version="1.0" encoding="UTF-16"?><a/>`,
		"a declaration of another version":               `<?xml version = "1.1"?><a/>`,
		"attributes without white space":                 `<a b="1"c="2"/>`,
		"attributes without white space, apostrophes":    `<a b='1' c='2'd="3"/>`,
		"half a surrogate pair":                          `<a>&#xD800;</a>`,
		"half a surrogate pair in decimals":              `<a>&#57343;</a>`,
		"half a surrogate pair in an attribute":          `<a b="&#x00dfff;"/>`,
		"a surrogate pair as two references":             `<a>&#xD83D;&#xDE00;</a>`,
		"a control character":                            "<a>\x01</a>",
		"a control character in a comment":               "<a><!--\x01--></a>",
		"a character that XML has not in an instruction": "<a><?x \uFFFE?></a>",
		"a comment that is not UTF-8":                    "<a><!--\xff--></a>",
		"a reference outside the root":                   `<a/>&#32;`,
		"a CDATA section outside the root":               `<a/><![CDATA[ ]]>`,
		"an end that fits another beginning":             `<a><b></a></b>`,
		"an end that fits under another prefix":          `<x:a xmlns:x="urn:x" xmlns:y="urn:x"></y:a>`,
		"an end too many":                                `<a/></a>`,
		"an end too few":                                 `<a><b></b>`,
		"a document type":                                `<!DOCTYPE a><a/>`,
		"two roots":                                      `<a/><a/>`,
		"no root":                                        `<!-- -->`,
		"nothing":                                        ``,
	} {
		if found, err := parse([]byte(text)); !errors.Is(err, errNoDocument) {
			t.Errorf("%s: %s is read as %v, %v", sentence, text, found, err)
		}
	}
}

func TestWhatIsWellFormedIsRead(t *testing.T) {
	for sentence, text := range map[string]string{
		"a declaration":                      xml.Header + `<a xmlns="urn:x">1</a>`,
		"a declaration behind a mark":        "\uFEFF" + `<?xml version='1.0' encoding='utf-8' standalone='yes' ?><a xmlns="urn:x">1</a>`,
		"a declaration of the version":       `<?xml version = "1.0"?><a xmlns="urn:x">1</a>`,
		"a prefix":                           `<x:a xmlns:x="urn:x">1</x:a>`,
		"a prefix redeclared and back":       `<x:a xmlns:x="urn:x"><x:b xmlns:x="urn:y"/>1</x:a>`,
		"a default taken back inside":        `<a xmlns="urn:x"><b xmlns=""/>1</a >`,
		"attributes of one name, two spaces": `<a xmlns="urn:x" xmlns:x="urn:x" b="1" x:b="2"` + "\n" + `c='"d"e='>1</a>`,
		"the prefix that is always there":    `<a xmlns="urn:x" xml:lang="en">1</a>`,
		"comments and instructions":          `<!-- é --><?x y?><a xmlns="urn:x"><!----><?xmlx?>1</a><?x?> `,
		"a reference":                        `<a xmlns="urn:x">&#49;</a>`,
	} {
		found, err := parse([]byte(text))
		if err != nil || found.name != (xml.Name{Space: "urn:x", Local: "a"}) || string(found.text) != "1" {
			t.Errorf("%s: %s is read as %v, %v", sentence, text, found, err)
		}
	}
	for text, want := range map[string]string{
		`<a><![CDATA[&#xD800;]]></a>`: "&#xD800;", `<a>&#xD7FF;&#xE000;&#65533;</a>`: "\ud7ff\ue000\ufffd", "<a>\ufffd&#x1F600;</a>": "\ufffd😀",
	} {
		if found, err := parse([]byte(text)); err != nil || string(found.text) != want {
			t.Errorf("%s is read as %v, %v", text, found, err)
		}
	}
}
