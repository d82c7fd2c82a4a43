package settings

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"middlemark/process"
)

const databaseURL = "postgresql://me:secret@db:5432/brokerage"

func read(t *testing.T, variables map[string]string) (Settings, error) {
	t.Helper()
	all := map[string]string{"MM_DATABASE_URL": databaseURL}
	maps.Copy(all, variables)
	return Read(func(name string) string { return all[name] })
}

func TestTheDefaultsAreThoseOfTheSpecification(t *testing.T) {
	s, err := read(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"role": "web,services", "host": "127.0.0.1", "port": "8080", "grpc_port": "",
		"database_url": "postgresql://me@db:5432/brokerage", "database_pool": "20", "data_access": "pgx", "orders": "sync",
		"processor_batch": "5", "processor_concurrency": "15", "processor_seconds": "1", "processor_timeout_seconds": "15",
		"binding": "local", "services_url": "",
		"services_connections": "64", "market_summary_seconds": "60", "session_seconds": "300", "config_page": "off",
	}
	if got := s.Texts(); !maps.Equal(got, want) {
		t.Errorf("the settings are %v\nwant %v", got, want)
	}
}

func TestAWrongValueIsRefusedWithVariableValueAndWhatIsAllowed(t *testing.T) {
	for _, c := range [][2]string{
		{"MM_ROLE", "boss"}, {"MM_ROLE", "web,"},
		{"MM_PORT", "0"}, {"MM_PORT", "65536"}, {"MM_PORT", "http"}, {"MM_GRPC_PORT", "-1"},
		{"MM_DATABASE_URL", "mysql://db/x"}, {"MM_DATABASE_URL", "postgresql://db"}, {"MM_DATABASE_POOL", "0"},
		{"MM_DATA_ACCESS", "jdbc"}, {"MM_ORDERS", "later"}, {"MM_ORDERS", "async-xa"},
		{"MM_PROCESSOR_BATCH", "0"}, {"MM_PROCESSOR_CONCURRENCY", "x"},
		{"MM_PROCESSOR_SECONDS", "0"}, {"MM_PROCESSOR_TIMEOUT_SECONDS", "0"},
		{"MM_BINDING", "pigeon"}, {"MM_GRPC_PORT", "8080"},
		{"MM_SERVICES_URL", "services:8080"}, {"MM_SERVICES_URL", "https://services"}, {"MM_SERVICES_URL", "http://services:1/"},
		{"MM_SERVICES_URL", "http://services:1#x"}, {"MM_SERVICES_URL", "http://me@services:1"}, {"MM_SERVICES_CONNECTIONS", "0"},
		{"MM_MARKET_SUMMARY_SECONDS", "-1"}, {"MM_SESSION_SECONDS", "0"}, {"MM_CONFIG_PAGE", "yes"},
	} {
		_, err := read(t, map[string]string{c[0]: c[1]})
		var wrong *process.SettingError
		if !errors.As(err, &wrong) || wrong.Variable != c[0] || wrong.Value != c[1] || wrong.Allowed == "" {
			t.Errorf("%s=%s gives %v", c[0], c[1], err)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s=%s needs more than one line", c[0], c[1])
		}
	}
}

func TestADatabaseIsNeededUnlessOnlyWebIsCarriedOverARemoteBinding(t *testing.T) {
	for _, c := range []struct {
		sentence  string
		variables map[string]string
		needed    bool
	}{
		{"everything in one process", nil, true},
		{"web with its services in process", map[string]string{"MM_ROLE": "web"}, true},
		{"services alone", map[string]string{"MM_ROLE": "services"}, true},
		{"a processor, whatever the binding", map[string]string{"MM_ROLE": "processor", "MM_ORDERS": "async-queue", "MM_BINDING": "json"}, true},
		{"everything over a remote binding", map[string]string{"MM_BINDING": "json"}, true},
		{"web over a remote binding", map[string]string{"MM_ROLE": "web", "MM_BINDING": "json", "MM_SERVICES_URL": "http://services:1"}, false},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			with, err := read(t, c.variables)
			if err != nil || (with.DatabaseURL != "") != c.needed {
				t.Errorf("with a database its URL is %q, %v", with.DatabaseURL, err)
			}
			without := maps.Clone(c.variables)
			if without == nil {
				without = map[string]string{}
			}
			without["MM_DATABASE_URL"] = ""
			if _, err := read(t, without); (err != nil) != c.needed {
				t.Errorf("without a database the start gives %v", err)
			}
		})
	}
}

func TestARemoteBindingWithoutAddressCallsItself(t *testing.T) {
	s, err := read(t, map[string]string{"MM_BINDING": "json", "MM_HOST": "0.0.0.0", "MM_PORT": "81"})
	if err != nil || s.ServicesURL != "http://127.0.0.1:81" {
		t.Errorf("the services are at %q, %v", s.ServicesURL, err)
	}
	s, err = read(t, map[string]string{"MM_BINDING": "grpc", "MM_GRPC_PORT": "82"})
	if err != nil || s.ServicesURL != "http://127.0.0.1:82" {
		t.Errorf("over gRPC the services are at %q, %v", s.ServicesURL, err)
	}
	var wrong *process.SettingError
	if _, err = read(t, map[string]string{"MM_BINDING": "grpc"}); !errors.As(err, &wrong) || wrong.Variable != "MM_GRPC_PORT" {
		t.Errorf("a process that does not offer gRPC calls itself over it: %v", err)
	}
	for _, binding := range []string{"soap", "json", "grpc"} {
		if _, err := read(t, map[string]string{"MM_ROLE": "web", "MM_BINDING": binding, "MM_GRPC_PORT": "82"}); err == nil {
			t.Errorf("a process without services calls itself over %s", binding)
		}
	}
}

func TestAnAddressOfServicesThatAreNotCalledIsNotInEffect(t *testing.T) {
	for _, c := range []struct{ role, binding, want string }{
		{"web", "json", "http://services:1"},
		{"web", "local", ""},
		{"services", "json", ""},
	} {
		s, err := read(t, map[string]string{"MM_ROLE": c.role, "MM_BINDING": c.binding, "MM_SERVICES_URL": "http://services:1"})
		if err != nil || s.ServicesURL != c.want {
			t.Errorf("%s over %s calls %q, %v; want %q", c.role, c.binding, s.ServicesURL, err, c.want)
		}
	}
}

func TestAWrongDatabaseURLIsShownWithoutItsPassword(t *testing.T) {
	for _, text := range []string{"mysql://me:secret@db/x", "postgresql://me:secret%@db/x", "postgresql://me:se/secret@db/x"} {
		_, err := read(t, map[string]string{"MM_DATABASE_URL": text})
		if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "db/x") {
			t.Errorf("the refusal is %v", err)
		}
	}
}

func TestADatabaseURLIsShownAsItWasGivenButItsPassword(t *testing.T) {
	for text, want := range map[string]string{
		"postgresql://m%24e:secret@db:1/x?sslmode=require": "postgresql://m%24e@db:1/x?sslmode=require",
		"postgresql://me:secret@/x?host=%2Ftmp&port=5433":  "postgresql://me@/x?host=%2Ftmp&port=5433",
		"postgresql://me@db/x":                             "postgresql://me@db/x",
		"postgresql://me:secret@db/my%20x":                 "postgresql://me@db/my%20x",
		"postgresql://me@db/x?sslmode=on&password=secret":  "postgresql://me@db/x",
	} {
		s, err := read(t, map[string]string{"MM_DATABASE_URL": text})
		if got := s.Texts()["database_url"]; err != nil || got != want {
			t.Errorf("%s is shown as %s, %v", text, got, err)
		}
	}
}

func TestAProcessorBelongsToAllAsSoonAsOrdersAreAsynchronous(t *testing.T) {
	for _, c := range []struct{ role, orders, want string }{
		{"all", "sync", "web,services"},
		{"all", "async-queue", "web,services,processor"},
		{"web,services", "async-queue", "web,services"},
		{"processor,services", "async-queue", "services,processor"},
		{"processor", "async-queue", "processor"},
	} {
		s, err := read(t, map[string]string{"MM_ROLE": c.role, "MM_ORDERS": c.orders})
		if got := s.Texts()["role"]; err != nil || got != c.want {
			t.Errorf("%s with orders %s is %s, %v; want %s", c.role, c.orders, got, err, c.want)
		}
	}
	s, err := read(t, nil)
	if later := s.WithOrders("async-queue").WithOrders("sync"); err != nil || !later.Has(Processor) || s.Has(Processor) {
		t.Errorf("after a change the roles are %v, before %v, %v", later.Roles, s.Roles, err)
	}
}

func TestAProcessorOfSynchronousOrdersIsRefused(t *testing.T) {
	for _, role := range []string{"processor", "web,processor"} {
		_, err := read(t, map[string]string{"MM_ROLE": role})
		var wrong *process.SettingError
		if !errors.As(err, &wrong) || wrong.Variable != "MM_ORDERS" || wrong.Value != "sync" {
			t.Errorf("the role %s gives %v", role, err)
		}
	}
}

func TestAProcessorHasNoMoreTransactionsThanConnections(t *testing.T) {
	s, err := read(t, map[string]string{"MM_DATABASE_POOL": "4"})
	if err != nil || s.ProcessorConcurrency != 4 {
		t.Errorf("%d transactions at the same time, %v", s.ProcessorConcurrency, err)
	}
}
