package remoting

import "middlemark/money"

// Product is an article that customers order.
type Product struct {
	ProductID       int32       `json:"productId" xml:"productId"`
	Name            string      `json:"name" xml:"name"`
	SupplierID      int32       `json:"supplierId" xml:"supplierId"`
	CategoryID      int32       `json:"categoryId" xml:"categoryId"`
	QuantityPerUnit string      `json:"quantityPerUnit" xml:"quantityPerUnit"`
	UnitPrice       money.Cents `json:"unitPrice" xml:"unitPrice"`
	UnitsInStock    int32       `json:"unitsInStock" xml:"unitsInStock"`
	UnitsOnOrder    int32       `json:"unitsOnOrder" xml:"unitsOnOrder"`
	ReorderLevel    int32       `json:"reorderLevel" xml:"reorderLevel"`
	Discontinued    bool        `json:"discontinued" xml:"discontinued"`
}

// Customer places orders. A missing region is the empty text.
type Customer struct {
	CustomerID   string `json:"customerId" xml:"customerId"`
	CompanyName  string `json:"companyName" xml:"companyName"`
	ContactName  string `json:"contactName" xml:"contactName"`
	ContactTitle string `json:"contactTitle" xml:"contactTitle"`
	Address      string `json:"address" xml:"address"`
	City         string `json:"city" xml:"city"`
	Region       string `json:"region" xml:"region"`
	PostalCode   string `json:"postalCode" xml:"postalCode"`
	Country      string `json:"country" xml:"country"`
	Phone        string `json:"phone" xml:"phone"`
	Fax          string `json:"fax" xml:"fax"`
}
