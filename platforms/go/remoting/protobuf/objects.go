package protobuf

import (
	"middlemark/money"
	"middlemark/remoting"
	"middlemark/remoting/wire"
)

func toOrder(o *remoting.Order) *wire.Order {
	sent := &wire.Order{
		CustomerId: o.CustomerID, EmployeeId: o.EmployeeID, OrderDate: o.OrderDate.String(),
		Shipping: toAddress(o.Shipping), Billing: toAddress(o.Billing), ShipVia: o.ShipVia, Freight: o.Freight.String(),
		Lines: make([]*wire.OrderLine, len(o.Lines)),
	}
	for i, line := range o.Lines {
		sent.Lines[i] = &wire.OrderLine{
			ProductId: line.ProductID, UnitPrice: line.UnitPrice, Quantity: line.Quantity, Discount: line.Discount,
		}
	}
	return sent
}

func fromOrder(sent *wire.Order, o *remoting.Order) (err error) {
	*o = remoting.Order{
		CustomerID: sent.GetCustomerId(), EmployeeID: sent.GetEmployeeId(),
		Shipping: fromAddress(sent.GetShipping()), Billing: fromAddress(sent.GetBilling()), ShipVia: sent.GetShipVia(),
		Lines: make([]remoting.OrderLine, len(sent.GetLines())),
	}
	if o.OrderDate, err = remoting.ParseLocalTime(sent.GetOrderDate()); err != nil {
		return err
	}
	if o.Freight, err = money.ParseCents(sent.GetFreight()); err != nil {
		return err
	}
	for i, line := range sent.GetLines() {
		o.Lines[i] = remoting.OrderLine{
			ProductID: line.GetProductId(), UnitPrice: line.GetUnitPrice(), Quantity: line.GetQuantity(), Discount: line.GetDiscount(),
		}
	}
	return nil
}

func toAddress(a remoting.Address) *wire.Address {
	return &wire.Address{
		Name: a.Name, Street: a.Street, City: a.City, Region: a.Region, PostalCode: a.PostalCode, Country: a.Country,
	}
}

func fromAddress(sent *wire.Address) remoting.Address {
	return remoting.Address{
		Name: sent.GetName(), Street: sent.GetStreet(), City: sent.GetCity(),
		Region: sent.GetRegion(), PostalCode: sent.GetPostalCode(), Country: sent.GetCountry(),
	}
}

func toProducts(products []remoting.Product) *wire.Products {
	sent := &wire.Products{Products: make([]*wire.Product, len(products))}
	for i, p := range products {
		sent.Products[i] = &wire.Product{
			ProductId: p.ProductID, Name: p.Name, SupplierId: p.SupplierID, CategoryId: p.CategoryID,
			QuantityPerUnit: p.QuantityPerUnit, UnitPrice: p.UnitPrice.String(), UnitsInStock: p.UnitsInStock,
			UnitsOnOrder: p.UnitsOnOrder, ReorderLevel: p.ReorderLevel, Discontinued: p.Discontinued,
		}
	}
	return sent
}

func fromProducts(sent *wire.Products) ([]remoting.Product, error) {
	products := make([]remoting.Product, len(sent.GetProducts()))
	for i, p := range sent.GetProducts() {
		price, err := money.ParseCents(p.GetUnitPrice())
		if err != nil {
			return nil, err
		}
		products[i] = remoting.Product{
			ProductID: p.GetProductId(), Name: p.GetName(), SupplierID: p.GetSupplierId(), CategoryID: p.GetCategoryId(),
			QuantityPerUnit: p.GetQuantityPerUnit(), UnitPrice: price, UnitsInStock: p.GetUnitsInStock(),
			UnitsOnOrder: p.GetUnitsOnOrder(), ReorderLevel: p.GetReorderLevel(), Discontinued: p.GetDiscontinued(),
		}
	}
	return products, nil
}

func toCustomer(c *remoting.Customer) *wire.Customer {
	if c == nil {
		return nil
	}
	return &wire.Customer{
		CustomerId: c.CustomerID, CompanyName: c.CompanyName, ContactName: c.ContactName, ContactTitle: c.ContactTitle,
		Address: c.Address, City: c.City, Region: c.Region, PostalCode: c.PostalCode, Country: c.Country, Phone: c.Phone, Fax: c.Fax,
	}
}

func fromCustomer(sent *wire.Customer) *remoting.Customer {
	if sent == nil {
		return nil
	}
	return &remoting.Customer{
		CustomerID: sent.GetCustomerId(), CompanyName: sent.GetCompanyName(), ContactName: sent.GetContactName(),
		ContactTitle: sent.GetContactTitle(), Address: sent.GetAddress(), City: sent.GetCity(), Region: sent.GetRegion(),
		PostalCode: sent.GetPostalCode(), Country: sent.GetCountry(), Phone: sent.GetPhone(), Fax: sent.GetFax(),
	}
}
