package postgres

import (
	"log/slog"
	"os"
	"reflect"
	"testing"

	"middlemark/pgtest"
	"middlemark/remoting"
	"middlemark/remoting/tables"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m, "remoting")) }

func open(t *testing.T, url string) *Store {
	t.Helper()
	store, err := New(url, 1, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

func TestATableIsWhatTheDatabaseSaysOfAnyResult(t *testing.T) {
	store := open(t, pgtest.New(t).URL)
	set, err := store.set(t.Context(), "all", `SELECT 'é <&>'::text AS text, 'a '::char(2) AS padded, 'b'::varchar AS varied, (-7)::smallint AS short,
		2147483647 AS int, (-9223372036854775808)::bigint AS long, 1.50::numeric(10, 2) AS decimal, 0.1::float8 AS double, '-Infinity'::float4 AS float,
		true AS yes, false AS no, timestamp '2005-02-14 07:08:09' AS time, NULL::text AS nothing, '' AS empty`)
	if err != nil {
		t.Fatal(err)
	}
	var columns []tables.Column
	var row tables.Row
	for _, c := range []struct {
		name string
		of   tables.Type
		text string
	}{
		{"text", tables.String, "é <&>"},
		{"padded", tables.String, "a "},
		{"varied", tables.String, "b"},
		{"short", tables.Short, "-7"},
		{"int", tables.Int, "2147483647"},
		{"long", tables.Long, "-9223372036854775808"},
		{"decimal", tables.Decimal, "1.50"},
		{"double", tables.Double, "0.1"},
		{"float", tables.Float, "-INF"},
		{"yes", tables.Boolean, "true"},
		{"no", tables.Boolean, "false"},
		{"time", tables.DateTime, "2005-02-14T07:08:09"},
		{"nothing", tables.String, ""},
		{"empty", tables.String, ""},
	} {
		columns = append(columns, tables.Column{Name: c.name, Type: c.of})
		row = append(row, tables.Value{Text: c.text, Missing: c.name == "nothing"})
	}
	expected := &tables.Set{Tables: []tables.Table{{Name: "all", Columns: columns, Rows: []tables.Row{row}}}}
	if !reflect.DeepEqual(set, expected) {
		t.Errorf("the table is\n%+v, want\n%+v", set, expected)
	}
}

func TestAColumnWithoutATypeOfXMLSchemaIsAnErrorAndNotGuessed(t *testing.T) {
	store := open(t, pgtest.New(t).URL)
	if set, err := store.set(t.Context(), "odd", `SELECT '{}'::jsonb AS odd`); err == nil {
		t.Errorf("the table is %+v", set)
	}
}

func TestProductsAreTheSameWhicheverWayTheyAreRead(t *testing.T) {
	store := open(t, pgtest.New(t).URL)
	direct, err := store.LoadProducts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	converted, err := store.LoadProductsConverted(t.Context())
	if err != nil || len(direct) != 77 || !reflect.DeepEqual(direct, converted) {
		t.Errorf("%d products and, converted, %d, %v", len(direct), len(converted), err)
	}
}

// twoStatements are those of an order and its lines, which PostgreSQL keeps prepared on the store's only connection.
const twoStatements = `SELECT string_agg(CASE WHEN statement LIKE 'INSERT INTO orders%' THEN 'order' WHEN statement LIKE 'INSERT INTO order_lines%' THEN 'line'
	END, ',' ORDER BY statement DESC) FROM pg_prepared_statements`

func TestLinesAreStoredThroughOnePreparedStatement(t *testing.T) {
	database := pgtest.New(t)
	store := open(t, database.URL)
	date, err := remoting.ParseLocalTime("2005-02-14T00:00:00")
	if err != nil {
		t.Fatal(err)
	}
	order := &remoting.Order{CustomerID: "C0001", OrderDate: date}
	for number := range 20 {
		order.Lines = append(order.Lines, remoting.OrderLine{ProductID: int32(number + 1), UnitPrice: 1, Quantity: 1})
	}
	id, err := store.StoreOrder(t.Context(), order)
	if err != nil || id < 1 {
		t.Fatalf("the order is stored as %d, %v", id, err)
	}
	var prepared string
	if err := store.pool.QueryRow(t.Context(), twoStatements).Scan(&prepared); err != nil || prepared != "order,line" {
		t.Errorf("the statements are %q, %v", prepared, err)
	}
	if numbers := database.Text(`SELECT string_agg(line_number::text, ',' ORDER BY line_number) FROM order_lines`); numbers !=
		"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20" {
		t.Errorf("the lines have the numbers %s", numbers)
	}
}
