package main

import (
	"slices"
	"strconv"
	"strings"

	"middlemark/process"
)

const (
	web          = "web"
	orderService = "order-service"
	pgx          = "pgx"
)

// settings are the values of the variables in specs/petstore/README.md that are in effect.
type settings struct {
	roles                          []string
	host                           string
	port                           int
	catalogURL, ordersURL          string
	catalogPool, ordersPool        int
	dataAccess                     string
	serviceURL                     string
	catalogSeconds, sessionSeconds int
	recoverySeconds                int
}

func (s settings) has(role string) bool { return slices.Contains(s.roles, role) }

// readSettings reads the settings; get answers an environment variable or the empty text.
func readSettings(get func(string) string) (settings, error) {
	r := &process.Reader{Get: get}
	s := settings{
		host:            r.Text("MM_HOST", "127.0.0.1"),
		port:            r.Port("MM_PORT", 8080),
		catalogURL:      r.DatabaseURL("MM_CATALOG_URL"),
		ordersURL:       r.DatabaseURL("MM_ORDERS_URL"),
		catalogPool:     r.Count("MM_CATALOG_POOL", 20, 1),
		ordersPool:      r.Count("MM_ORDERS_POOL", 20, 1),
		dataAccess:      r.Choice("MM_DATA_ACCESS", []string{pgx}, []string{pgx}),
		serviceURL:      r.HTTPURL("MM_SERVICE_URL"),
		catalogSeconds:  r.Count("MM_CATALOG_SECONDS", 86_400, 0),
		sessionSeconds:  r.Count("MM_SESSION_SECONDS", 600, 1),
		recoverySeconds: r.Count("MM_RECOVERY_SECONDS", 5, 1),
	}
	named := r.Roles(web, orderService)
	for _, role := range []string{web, orderService} {
		if slices.Contains(named, role) || slices.Contains(named, "all") {
			s.roles = append(s.roles, role)
		}
	}
	if s.ordersURL == "" {
		r.Refuse("MM_ORDERS_URL", "", process.DatabaseURLForm)
	}
	if !s.has(web) {
		s.catalogURL, s.serviceURL = "", ""
		return s, r.Refused
	}
	if s.catalogURL == "" {
		r.Refuse("MM_CATALOG_URL", "", process.DatabaseURLForm)
	}
	if s.serviceURL == "" && s.has(orderService) {
		s.serviceURL = process.OwnURL(s.host, s.port)
	}
	if s.serviceURL == "" {
		r.Refuse("MM_SERVICE_URL", "", process.HTTPURLForm+", because MM_ROLE is "+web)
	}
	return s, r.Refused
}

// texts are the settings for /about, by name without MM_.
func (s settings) texts() map[string]string {
	return map[string]string{
		"role": strings.Join(s.roles, ","), "host": s.host, "port": strconv.Itoa(s.port),
		"catalog_url": process.WithoutPassword(s.catalogURL), "orders_url": process.WithoutPassword(s.ordersURL),
		"catalog_pool": strconv.Itoa(s.catalogPool), "orders_pool": strconv.Itoa(s.ordersPool),
		"data_access": s.dataAccess, "service_url": s.serviceURL,
		"catalog_seconds": strconv.Itoa(s.catalogSeconds), "session_seconds": strconv.Itoa(s.sessionSeconds),
		"recovery_seconds": strconv.Itoa(s.recoverySeconds),
	}
}
