package soap

import (
	"os"
	"testing"

	"middlemark/pgtest"
)

func TestTheDescriptionIsTheSpecifications(t *testing.T) {
	specified, err := os.ReadFile(pgtest.SpecFile("brokerage", "brokerage.wsdl"))
	if err != nil {
		t.Fatal(err)
	}
	if wsdl != string(specified) {
		t.Error("brokerage.wsdl differs from specs/brokerage/brokerage.wsdl: copy it")
	}
}
