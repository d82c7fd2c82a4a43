package soap

import (
	"os"
	"testing"

	"middlemark/pgtest"
)

func TestTheDescriptionIsTheSpecifications(t *testing.T) {
	specified, err := os.ReadFile(pgtest.SpecFile("petstore", "petstore.wsdl"))
	if err != nil {
		t.Fatal(err)
	}
	if wsdl != string(specified) {
		t.Error("petstore.wsdl differs from specs/petstore/petstore.wsdl: copy it")
	}
}
