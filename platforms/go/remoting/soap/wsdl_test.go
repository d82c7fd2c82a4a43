package soap

import (
	"os"
	"strings"
	"testing"

	"middlemark/pgtest"
	"middlemark/soap"
)

func TestTheDescriptionIsTheSpecifications(t *testing.T) {
	specified, err := os.ReadFile(pgtest.SpecFile("remoting", "remoting.wsdl"))
	if err != nil {
		t.Fatal(err)
	}
	if wsdl != string(specified) {
		t.Error("remoting.wsdl differs from specs/remoting/remoting.wsdl: copy it")
	}
	if strings.Count(wsdl, soap.WrittenAddress) != 1 {
		t.Errorf("remoting.wsdl does not contain %s exactly once", soap.WrittenAddress)
	}
}
