package tables

import (
	"encoding"
	"strconv"
	"strings"

	"middlemark/refusals"
)

// Reader reads the rows of a table by the names of its columns, wherever they are. It keeps the first refusal, so that reading a row can be a list.
type Reader struct {
	table   *Table
	places  map[string]int
	refused error
}

// Reader reads the table of a name.
func (s *Set) Reader(name string) (*Reader, error) {
	for i := range s.Tables {
		if table := &s.Tables[i]; table.Name == name {
			places := make(map[string]int, len(table.Columns))
			for place, column := range table.Columns {
				places[column.Name] = place
			}
			return &Reader{table: table, places: places}, nil
		}
	}
	return nil, refusals.New(refusals.InvalidInput, "The table %s is missing.", name)
}

// Rows is how many rows there are.
func (r *Reader) Rows() int { return len(r.table.Rows) }

// Only reads the row of a table that must have exactly one.
func (r *Reader) Only(read func(Row)) error {
	if len(r.table.Rows) != 1 {
		return refusals.New(refusals.InvalidInput, "The table %s must have one row.", r.table.Name)
	}
	return r.Each(read)
}

// Each reads row after row until one is refused.
func (r *Reader) Each(read func(Row)) error {
	for _, row := range r.table.Rows {
		if read(row); r.refused != nil {
			return r.refused
		}
	}
	return nil
}

// Text is the value of a column as it travels.
func (r *Reader) Text(row Row, column string) string {
	place, exists := r.places[column]
	if !exists || place >= len(row) || row[place].Missing {
		r.refuse(column, "is missing")
		return ""
	}
	return row[place].Text
}

// Int is a whole number of at most 32 bits.
func (r *Reader) Int(row Row, column string) int32 {
	n, err := strconv.ParseInt(strings.TrimSpace(r.Text(row, column)), 10, 32)
	if err != nil {
		r.refuse(column, "must be a whole number")
	}
	return int32(n)
}

// Double is a number, INF or NaN.
func (r *Reader) Double(row Row, column string) float64 {
	text := strings.TrimSpace(r.Text(row, column))
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "xX") { // XML Schema has no hexadecimal numbers
		r.refuse(column, "must be a number")
	}
	return n
}

// Boolean is true or false.
func (r *Reader) Boolean(row Row, column string) bool {
	switch strings.TrimSpace(r.Text(row, column)) {
	case "true", "1":
		return true
	case "false", "0":
		return false
	}
	r.refuse(column, "must be true or false")
	return false
}

// Parsed is a value that reads itself.
func (r *Reader) Parsed(row Row, column string, value encoding.TextUnmarshaler) {
	if err := value.UnmarshalText([]byte(r.Text(row, column))); err != nil {
		r.refuse(column, "cannot be read")
	}
}

func (r *Reader) refuse(column, how string) {
	if r.refused == nil {
		r.refused = refusals.New(refusals.InvalidInput, "The column %s of the table %s %s.", column, r.table.Name, how)
	}
}
