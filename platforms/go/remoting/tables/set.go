// Package tables has table sets: tables that bring the description of their columns with them (specs/remoting/tables.xsd). Nothing in it
// knows which table it holds.
package tables

import (
	"fmt"
	"strconv"
)

// Type is the XML Schema type of a column's values.
type Type string

// The types of specs/remoting/tables.xsd.
const (
	String   Type = "string"
	Short    Type = "short"
	Int      Type = "int"
	Long     Type = "long"
	Decimal  Type = "decimal"
	Double   Type = "double"
	Float    Type = "float"
	Boolean  Type = "boolean"
	DateTime Type = "dateTime"
)

// Set is tables in their order.
type Set struct {
	Tables []Table `xml:"table"`
}

// Table is rows of values, one for each column.
type Table struct {
	Name    string   `xml:"name,attr"`
	Columns []Column `xml:"column"`
	Rows    []Row    `xml:"row"`
}

// Column describes the values at its place in every row.
type Column struct {
	Name string `xml:"name,attr"`
	Type Type   `xml:"type,attr"`
}

// Row is a value for each column.
type Row []Value

// Value is a text of its column's type, or missing.
type Value struct {
	Text    string
	Missing bool
}

// New is a table without rows.
func New(name string, columns ...Column) Table { return Table{Name: name, Columns: columns} }

// Values is a row of values as their types write them.
func Values(values ...any) Row {
	row := make(Row, len(values))
	for i, value := range values {
		row[i].Text = text(value)
	}
	return row
}

func text(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case int32:
		return strconv.FormatInt(int64(value), 10)
	case float64:
		return strconv.FormatFloat(value, 'g', -1, 64)
	}
	return fmt.Sprint(value)
}
