package main

import (
	"net/http"

	"middlemark/brokerage/settings"
	"middlemark/database"
	"middlemark/process"
)

func (a *application) about(w http.ResponseWriter, r *http.Request) {
	in := a.switchboard.settings()
	process.NewAbout("brokerage", in.Roles, in.Texts(), notDefault(in)).ServeHTTP(w, r)
}

// notDefault lists what differs from the defaults of pgx and of the clients of the services.
func notDefault(in settings.Settings) (list []process.NotDefault) {
	if in.NeedsDatabase() {
		list = append(list, database.NotDefault("MM_DATABASE_POOL", in.DatabasePool)...)
	}
	if in.Has(settings.Processor) {
		list = append(list, process.NotDefault{
			What: "pgx connections beside the pool", Value: "1", Why: "it waits for notifications of orders",
		})
	}
	if in.Has(settings.Web) {
		list = append(list, clientDisclosed(in)...)
	}
	return list
}
