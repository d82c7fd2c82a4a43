package main

import (
	"testing"

	"middlemark/brokerage/pgtest"
)

func config(binding, servicesURL, orders, seconds string) map[string]string {
	return map[string]string{
		"binding": binding, "services_url": servicesURL, "orders": orders, "market_summary_seconds": seconds,
	}
}

func TestTheConfigPageChangesTheBindingAtRunTime(t *testing.T) {
	services := start(t, environment{"MM_ROLE": "services", "MM_DATABASE_URL": pgtest.New(t).URL}).ready()
	p := start(t, environment{"MM_CONFIG_PAGE": "on", "MM_DATABASE_URL": pgtest.New(t).URL}).ready()
	b := p.login("uid:1")
	p.get(b, "/home").mustHave(t, 200, "<dt>Logins</dt><dd>1</dd>")
	for _, binding := range remoteBindings {
		mustRedirect(t, p.post(b, "/config", config(binding, services.at(binding), "sync", "60")), "/config")
		p.get(b, "/config").mustHave(t, 200, `<option value="`+binding+`" selected>`, services.at(binding))
		p.get(b, "/home").mustHave(t, 200, "<dt>Logins</dt><dd>0</dd>")
		mustRedirect(t, p.post(b, "/config", config(binding, "", "sync", "60")), "/config")
		p.get(b, "/config").mustHave(t, 200, p.at(binding))
		p.get(b, "/home").mustHave(t, 200, "<dt>Logins</dt><dd>1</dd>")
	}
	mustRedirect(t, p.post(b, "/config", config("local", "", "sync", "60")), "/config")
	p.get(b, "/home").mustHave(t, 200, "<dt>Logins</dt><dd>1</dd>")
}

func TestTheConfigPageRefusesWhatTheProcessCannotDo(t *testing.T) {
	services := start(t, environment{"MM_ROLE": "services", "MM_DATABASE_URL": pgtest.New(t).URL}).ready()
	p := start(t, environment{
		"MM_ROLE": "web", "MM_CONFIG_PAGE": "on", "MM_BINDING": "json", "MM_SERVICES_URL": services.url,
	}).ready()
	for message, form := range map[string]map[string]string{
		"The binding local is not offered by this process.":                config("local", "", "sync", "60"),
		"The binding pigeon is not offered by this process.":               config("pigeon", services.url, "sync", "60"),
		"Orders cannot be processed as async-xa by this process.":          config("json", services.url, "async-xa", "60"),
		"The address of the services must be http://host:port.":            config("json", "", "sync", "60"),
		"The age of the market summary must be a whole number of seconds.": config("json", services.url, "sync", "soon"),
	} {
		p.post(p.client, "/config", form).mustHave(t, 400, `data-page="config"`, message)
	}
	p.get(p.client, "/about").mustHave(t, 200, `"binding":"json"`, services.url, `"market_summary_seconds":"60"`)
}
