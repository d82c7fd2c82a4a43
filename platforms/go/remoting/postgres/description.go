package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"middlemark/remoting/tables"
)

// types are the XML Schema types of PostgreSQL's.
var types = map[uint32]tables.Type{
	pgtype.TextOID:      tables.String,
	pgtype.VarcharOID:   tables.String,
	pgtype.BPCharOID:    tables.String,
	pgtype.Int2OID:      tables.Short,
	pgtype.Int4OID:      tables.Int,
	pgtype.Int8OID:      tables.Long,
	pgtype.NumericOID:   tables.Decimal,
	pgtype.Float8OID:    tables.Double,
	pgtype.Float4OID:    tables.Float,
	pgtype.BoolOID:      tables.Boolean,
	pgtype.TimestampOID: tables.DateTime,
}

// set is the result of any query as a table of that name. Columns and types come from the database's description of the result.
func (s *Store) set(ctx context.Context, name, query string, args ...any) (*tables.Set, error) {
	var table tables.Table
	asText := append([]any{pgx.QueryResultFormats{pgx.TextFormatCode}}, args...)
	err := s.queried(ctx, func(rows pgx.Rows) error {
		columns, err := described(rows.FieldDescriptions())
		if err != nil {
			return err
		}
		table = tables.New(name, columns...)
		for rows.Next() {
			row := make(tables.Row, len(columns))
			for i, value := range rows.RawValues() {
				row[i] = valueOf(columns[i].Type, value)
			}
			table.Rows = append(table.Rows, row)
		}
		return nil
	}, query, asText...)
	if err != nil {
		return nil, err
	}
	return &tables.Set{Tables: []tables.Table{table}}, nil
}

func described(fields []pgconn.FieldDescription) ([]tables.Column, error) {
	columns := make([]tables.Column, len(fields))
	for i, field := range fields {
		of, known := types[field.DataTypeOID]
		if !known {
			return nil, fmt.Errorf("the column %s has a type without one of XML Schema, OID %d", field.Name, field.DataTypeOID)
		}
		columns[i] = tables.Column{Name: field.Name, Type: of}
	}
	return columns, nil
}

// valueOf is PostgreSQL's text of a value as XML Schema writes it.
func valueOf(of tables.Type, text []byte) tables.Value {
	if text == nil {
		return tables.Value{Missing: true}
	}
	value := string(text)
	switch of {
	case tables.Boolean:
		value = map[string]string{"t": "true", "f": "false"}[value]
	case tables.DateTime:
		value = strings.Replace(value, " ", "T", 1)
	case tables.Double, tables.Float:
		value = strings.Replace(value, "Infinity", "INF", 1)
	}
	return tables.Value{Text: value}
}
