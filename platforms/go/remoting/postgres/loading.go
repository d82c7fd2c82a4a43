package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"middlemark/database"
	"middlemark/remoting"
	"middlemark/remoting/tables"
)

const (
	selectProducts = `SELECT product_id, name, supplier_id, category_id, quantity_per_unit, unit_price,
		units_in_stock, units_on_order, reorder_level, discontinued FROM products ORDER BY product_id`
	selectCustomer = `SELECT customer_id, company_name, contact_name, contact_title, address, city, region,
		postal_code, country, phone, fax FROM customers WHERE customer_id = $1`
)

// LoadProducts implements remoting.Service.
func (s *Store) LoadProducts(ctx context.Context) (products []remoting.Product, err error) {
	err = s.queried(ctx, func(rows pgx.Rows) error {
		products = products[:0] // of an attempt before
		for rows.Next() {
			var p remoting.Product
			err := rows.Scan(&p.ProductID, &p.Name, &p.SupplierID, &p.CategoryID, &p.QuantityPerUnit, database.Cents(&p.UnitPrice),
				&p.UnitsInStock, &p.UnitsOnOrder, &p.ReorderLevel, &p.Discontinued)
			if err != nil {
				return err
			}
			products = append(products, p)
		}
		return nil
	}, selectProducts)
	return products, err
}

// LoadProductsTables implements remoting.Service.
func (s *Store) LoadProductsTables(ctx context.Context) (*tables.Set, error) {
	return s.set(ctx, "products", selectProducts)
}

// LoadProductsConverted implements remoting.Service.
func (s *Store) LoadProductsConverted(ctx context.Context) ([]remoting.Product, error) {
	set, err := s.LoadProductsTables(ctx)
	if err != nil {
		return nil, err
	}
	return remoting.ProductsOf(set)
}

// LoadCustomer implements remoting.Service.
func (s *Store) LoadCustomer(ctx context.Context, customerID string) (customer *remoting.Customer, err error) {
	if err := remoting.CheckCustomerID(customerID); err != nil {
		return nil, err
	}
	err = s.queried(ctx, func(rows pgx.Rows) error {
		for rows.Next() {
			var c remoting.Customer
			var region *string
			err := rows.Scan(&c.CustomerID, &c.CompanyName, &c.ContactName, &c.ContactTitle, &c.Address, &c.City, &region,
				&c.PostalCode, &c.Country, &c.Phone, &c.Fax)
			if err != nil {
				return err
			}
			if region != nil {
				c.Region = *region
			}
			customer = &c
		}
		return nil
	}, selectCustomer, customerID)
	return customer, err
}

// LoadCustomerTables implements remoting.Service.
func (s *Store) LoadCustomerTables(ctx context.Context, customerID string) (*tables.Set, error) {
	if err := remoting.CheckCustomerID(customerID); err != nil {
		return nil, err
	}
	return s.set(ctx, "customers", selectCustomer, customerID)
}
