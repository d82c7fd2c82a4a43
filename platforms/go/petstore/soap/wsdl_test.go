package soap

import (
	"os"
	"strings"
	"testing"

	"middlemark/pgtest"
	"middlemark/soap"
)

func TestTheDescriptionIsTheSpecifications(t *testing.T) {
	specified, err := os.ReadFile(pgtest.SpecFile("petstore", "petstore.wsdl"))
	if err != nil {
		t.Fatal(err)
	}
	if wsdl != string(specified) {
		t.Error("petstore.wsdl differs from specs/petstore/petstore.wsdl: copy it")
	}
	if strings.Count(wsdl, soap.WrittenAddress) != 1 {
		t.Errorf("petstore.wsdl does not contain %s exactly once", soap.WrittenAddress)
	}
}
