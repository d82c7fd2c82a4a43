package soap

import (
	"os"
	"strings"
	"testing"

	"middlemark/pgtest"
	"middlemark/soap"
)

func TestTheDescriptionIsTheSpecifications(t *testing.T) {
	specified, err := os.ReadFile(pgtest.SpecFile("brokerage", "brokerage.wsdl"))
	if err != nil {
		t.Fatal(err)
	}
	if wsdl != string(specified) {
		t.Error("brokerage.wsdl differs from specs/brokerage/brokerage.wsdl: copy it")
	}
	if strings.Count(wsdl, soap.WrittenAddress) != 1 {
		t.Errorf("brokerage.wsdl does not contain %s exactly once", soap.WrittenAddress)
	}
}
