package remoting

import "middlemark/remoting/tables"

// OrderOf reads an order out of the tables `orders` and `order_lines`.
func OrderOf(set *tables.Set) (*Order, error) {
	head, err := set.Reader("orders")
	if err != nil {
		return nil, err
	}
	order := new(Order)
	if err := head.Only(func(row tables.Row) {
		order.CustomerID = head.Text(row, "customer_id")
		order.EmployeeID = head.Int(row, "employee_id")
		head.Parsed(row, "order_date", &order.OrderDate)
		order.ShipVia = head.Int(row, "ship_via")
		head.Parsed(row, "freight", &order.Freight)
		order.Shipping = address(head, row, "ship_")
		order.Billing = address(head, row, "bill_")
	}); err != nil {
		return nil, err
	}
	lines, err := set.Reader("order_lines")
	if err != nil {
		return nil, err
	}
	return order, lines.Each(func(row tables.Row) {
		order.Lines = append(order.Lines, OrderLine{
			ProductID: lines.Int(row, "product_id"), UnitPrice: lines.Double(row, "unit_price"),
			Quantity: lines.Int(row, "quantity"), Discount: lines.Double(row, "discount"),
		})
	})
}

func address(r *tables.Reader, row tables.Row, prefix string) Address {
	return Address{
		Name: r.Text(row, prefix+"name"), Street: r.Text(row, prefix+"street"), City: r.Text(row, prefix+"city"),
		Region: r.Text(row, prefix+"region"), PostalCode: r.Text(row, prefix+"postal_code"), Country: r.Text(row, prefix+"country"),
	}
}

// ProductsOf reads products out of the table `products`.
func ProductsOf(set *tables.Set) ([]Product, error) {
	r, err := set.Reader("products")
	if err != nil {
		return nil, err
	}
	products := make([]Product, 0, r.Rows())
	return products, r.Each(func(row tables.Row) {
		product := Product{
			ProductID: r.Int(row, "product_id"), Name: r.Text(row, "name"), SupplierID: r.Int(row, "supplier_id"),
			CategoryID: r.Int(row, "category_id"), QuantityPerUnit: r.Text(row, "quantity_per_unit"),
			UnitsInStock: r.Int(row, "units_in_stock"), UnitsOnOrder: r.Int(row, "units_on_order"),
			ReorderLevel: r.Int(row, "reorder_level"), Discontinued: r.Boolean(row, "discontinued"),
		}
		r.Parsed(row, "unit_price", &product.UnitPrice)
		products = append(products, product)
	})
}

// TablesOf is an order as a table set.
func TablesOf(o *Order) *tables.Set {
	head := tables.New("orders",
		tables.Column{Name: "customer_id", Type: tables.String}, tables.Column{Name: "employee_id", Type: tables.Int},
		tables.Column{Name: "order_date", Type: tables.DateTime}, tables.Column{Name: "ship_via", Type: tables.Int},
		tables.Column{Name: "freight", Type: tables.Decimal},
	)
	head.Rows = []tables.Row{tables.Values(o.CustomerID, o.EmployeeID, o.OrderDate, o.ShipVia, o.Freight)}
	addAddress(&head, "ship_", o.Shipping)
	addAddress(&head, "bill_", o.Billing)
	lines := tables.New("order_lines",
		tables.Column{Name: "product_id", Type: tables.Int}, tables.Column{Name: "unit_price", Type: tables.Double},
		tables.Column{Name: "quantity", Type: tables.Int}, tables.Column{Name: "discount", Type: tables.Double},
	)
	for _, line := range o.Lines {
		lines.Rows = append(lines.Rows, tables.Values(line.ProductID, line.UnitPrice, line.Quantity, line.Discount))
	}
	return &tables.Set{Tables: []tables.Table{head, lines}}
}

func addAddress(head *tables.Table, prefix string, a Address) {
	for _, part := range []struct{ name, text string }{
		{"name", a.Name}, {"street", a.Street}, {"city", a.City},
		{"region", a.Region}, {"postal_code", a.PostalCode}, {"country", a.Country},
	} {
		head.Columns = append(head.Columns, tables.Column{Name: prefix + part.name, Type: tables.String})
		head.Rows[0] = append(head.Rows[0], tables.Value{Text: part.text})
	}
}
