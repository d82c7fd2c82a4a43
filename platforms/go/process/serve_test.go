package process

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestARequestThatPanicsIsAnsweredAndLogged(t *testing.T) {
	log := new(bytes.Buffer)
	broken := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("broken") })
	answer := httptest.NewRecorder()
	NewServer(broken, slog.New(slog.NewTextHandler(log, nil))).Handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/x", nil))
	if answer.Code != http.StatusInternalServerError || !strings.Contains(log.String(), "reason=broken") {
		t.Errorf("the response is %d, the log %q", answer.Code, log)
	}
}
