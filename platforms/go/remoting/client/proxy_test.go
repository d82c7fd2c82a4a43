package client

import (
	"slices"
	"testing"

	"middlemark/remoting/access"
)

func TestAProtocolIsOfferedWithTheAuthenticationsOfTheSpecification(t *testing.T) {
	for protocol, expected := range map[string][]string{
		"local":         {access.None},
		"unix":          {access.None},
		"tcp-protobuf":  {access.None, access.Token, access.Certificate},
		"tcp-soap":      {access.None},
		"grpc":          access.All,
		"http-protobuf": access.All,
		"json":          access.All,
		"soap":          access.All,
		"net-rpc":       {access.None},
		"rmi":           {},
	} {
		for _, kind := range access.All {
			if offered := Offered(protocol, kind); offered != slices.Contains(expected, kind) {
				t.Errorf("%s with %s: offered is %v", protocol, kind, offered)
			}
		}
	}
}
