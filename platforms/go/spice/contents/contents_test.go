package contents

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const pageBytes = 6250

func asked(t *testing.T, path string) *httptest.ResponseRecorder {
	t.Helper()
	site := t.TempDir()
	if err := os.WriteFile(filepath.Join(site, "one.html"), []byte("<p>one"), 0o600); err != nil {
		t.Fatal(err)
	}
	lateInParis := func() time.Time { return time.Date(2026, 2, 1, 0, 30, 0, 0, time.FixedZone("Paris", 3600)) }
	made, err := New(site, lateInParis)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	made.Handle(mux)
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
	return answer
}

func TestThePageIsTheSpecifications(t *testing.T) {
	specified, err := os.ReadFile("../../../../specs/spice/pages/page.html")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(page, specified) {
		t.Error("page.html is another one than that of specs/spice/pages")
	}
}

func TestTheHandlerAnswersWithThePageAsItStands(t *testing.T) {
	answer := asked(t, "/handler")
	if body := answer.Body.Bytes(); !bytes.Equal(body, page) || len(body) != pageBytes {
		t.Errorf("the page has %d bytes, want %d", len(body), pageBytes)
	}
	if got := answer.Header().Get("Content-Type"); got != pageType {
		t.Errorf("the type is %q", got)
	}
}

func TestEachTemplatePutsTodaysDateInUTCIntoThePage(t *testing.T) {
	want := strings.Replace(string(page), writtenDate, "2026-01-31", 1)
	for _, path := range []string{"/template/1", "/template/100"} {
		if body := asked(t, path).Body.String(); body != want {
			t.Errorf("%s is\n%s", path, body)
		}
	}
}

func TestAFileIsSentAsItIs(t *testing.T) {
	answer := asked(t, "/files/one.html")
	if answer.Body.String() != "<p>one" || answer.Header().Get("Content-Length") != "6" {
		t.Errorf("the file is %q, its length %q", answer.Body, answer.Header().Get("Content-Length"))
	}
}

func TestWhatIsNotThereIsNotFound(t *testing.T) {
	for _, path := range []string{"/template/0", "/template/101", "/template/01", "/files/two.html", "/cgi/page", "/"} {
		if answer := asked(t, path); answer.Code != http.StatusNotFound {
			t.Errorf("%s is answered with %d", path, answer.Code)
		}
	}
}
