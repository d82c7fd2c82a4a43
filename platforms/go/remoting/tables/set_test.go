package tables

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"middlemark/refusals"
)

func TestATableSetIsReadAsItWasWritten(t *testing.T) {
	table := New("t", Column{"a", String}, Column{"b", Decimal})
	for _, text := range []string{"", " ", `<a href="x">&amp; 木 🚢</a> ]]>`, "back\\slash 'single' \"double\"", "two\nlines\r\n", "\ttab"} {
		table.Rows = append(table.Rows, Row{{Text: text}, {Missing: true}})
	}
	written := &Set{Tables: []Table{table, New("empty", Column{"c", Boolean})}}
	document, err := written.Document()
	if err != nil {
		t.Fatal(err)
	}
	read, err := Parse(document)
	if err != nil || !reflect.DeepEqual(read, written) {
		t.Errorf("%s\nis read as %+v, %v", document, read, err)
	}
}

func TestATableSetOfAnotherPlatformIsRead(t *testing.T) {
	read, err := Parse([]byte(`<?xml version="1.0"?><m:tableSet xmlns:m="urn:middlemark:tables">
		<m:table name="t"><m:column type="int" name="a"/> <m:row><m:value>1</m:value><!-- missing --><m:null/></m:row></m:table>
	</m:tableSet>`))
	expected := &Set{Tables: []Table{{Name: "t", Columns: []Column{{"a", Int}}, Rows: []Row{{{Text: "1"}, {Missing: true}}}}}}
	if err != nil || !reflect.DeepEqual(read, expected) {
		t.Errorf("it is read as %+v, %v", read, err)
	}
}

func TestWhatIsNoTableSetIsNotRead(t *testing.T) {
	for _, document := range []string{
		``, `<tableSet/>`, `<set xmlns="urn:middlemark:tables"/>`, `<tableSet xmlns="urn:middlemark:tables">`,
		`<tableSet xmlns="urn:middlemark:tables"><table><row><other/></row></table></tableSet>`,
	} {
		if set, err := Parse([]byte(document)); err == nil {
			t.Errorf("%q is read as %+v", document, set)
		}
	}
}

func TestValuesAreReadByTheNamesOfTheirColumns(t *testing.T) {
	table := New("t", Column{"price", Double}, Column{"more", String}, Column{"id", Int}, Column{"sold", Boolean})
	table.Rows = []Row{{{Text: "1.5"}, {Missing: true}, {Text: "7"}, {Text: "true"}}}
	reader, err := (&Set{Tables: []Table{table}}).Reader("t")
	if err != nil {
		t.Fatal(err)
	}
	err = reader.Only(func(row Row) {
		if id, price := reader.Int(row, "id"), reader.Double(row, "price"); id != 7 || price != 1.5 || !reader.Boolean(row, "sold") {
			t.Errorf("%d and %v are read", id, price)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAValueThatIsMissingOrOfAnotherTypeIsRefusedByItsName(t *testing.T) {
	read := map[string]func(*Reader, Row){
		"absent":  func(r *Reader, row Row) { r.Text(row, "absent") },
		"missing": func(r *Reader, row Row) { r.Text(row, "missing") },
		"cut":     func(r *Reader, row Row) { r.Text(row, "cut") },
		"text":    func(r *Reader, row Row) { r.Int(row, "text"); r.Text(row, "absent") },
		"number":  func(r *Reader, row Row) { r.Boolean(row, "number") },
		"hex":     func(r *Reader, row Row) { r.Double(row, "hex") },
	}
	for column, wrong := range read {
		table := New("t", Column{"text", String}, Column{"number", Int}, Column{"hex", Double}, Column{"missing", String}, Column{"cut", String})
		table.Rows = []Row{{{Text: "lots"}, {Text: "12"}, {Text: "0x1p3"}, {Missing: true}}}
		reader, err := (&Set{Tables: []Table{table}}).Reader("t")
		if err != nil {
			t.Fatal(err)
		}
		err = reader.Each(func(row Row) { wrong(reader, row) })
		if !errors.Is(err, refusals.InvalidInput) || !strings.Contains(refusals.Of(err).Message, "column "+column) {
			t.Errorf("%s: %v", column, err)
		}
	}
}

func TestATableThatIsMissingOrHasAnotherNumberOfRowsIsRefused(t *testing.T) {
	set := &Set{Tables: []Table{New("t")}}
	if _, err := set.Reader("u"); !errors.Is(err, refusals.InvalidInput) {
		t.Errorf("a table that is missing: %v", err)
	}
	reader, err := set.Reader("t")
	if err != nil {
		t.Fatal(err)
	}
	if err := reader.Only(func(Row) {}); !errors.Is(err, refusals.InvalidInput) {
		t.Errorf("a table without rows: %v", err)
	}
}
