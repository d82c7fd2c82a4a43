package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const formType = "application/x-www-form-urlencoded"

func TestAFormsValuesComeFromOnePlace(t *testing.T) {
	for _, c := range []struct{ method, query, contentType, body, want string }{
		{"GET", "a=q", "", "", "q"},
		{"HEAD", "a=q", "", "", "q"},
		{"GET", "a=q", formType, "a=b", "q"},
		{"POST", "a=q", formType, "a=b", "b"},
		{"POST", "a=q", formType + "; charset=UTF-8", "a=b", "b"},
		{"POST", "a=q", formType, "", ""},
		{"POST", "a=q&%", formType, "a=b", "b"},
		{"POST", "", "text/plain", "a=b", ""},
		{"POST", "", "", "a=b", ""},
		{"GET", "a=1&a=2", "", "", "1"},
		{"GET", "a=1;b=2", "", "", "1;b=2"},
		{"POST", "", formType, "b=2&a=%C3%A9+%26;", "é &;"},
	} {
		r := httptest.NewRequest(c.method, "/quotes?"+c.query, strings.NewReader(c.body))
		r.Header.Set("Content-Type", c.contentType)
		if values, err := readForm(r); err != nil || values.Get("a") != c.want {
			t.Errorf("%v: a is %q, %v", c, values.Get("a"), err)
		}
	}
}

func TestAFormThatIsNoneCannotBeRead(t *testing.T) {
	for _, text := range []string{"a=%", "a=%4", "a=%zz", "%=a", "a=%FF", "%C3=a", "a=b&c=\xff"} {
		r := httptest.NewRequest(http.MethodPost, "/login", strings.NewReader(text))
		r.Header.Set("Content-Type", formType)
		if values, err := readForm(r); err == nil {
			t.Errorf("%q is read as %v", text, values)
		}
	}
}

func TestAFormOfManyValuesIsReadWholeOrNotAtAll(t *testing.T) {
	for _, number := range []int{1_000, 10_000, 10_001, 30_000} {
		r := httptest.NewRequest(http.MethodPost, "/login", strings.NewReader(strings.Repeat("a&", number-1)+"b=last"))
		r.Header.Set("Content-Type", formType)
		values, err := readForm(r)
		if err == nil && (len(values["a"]) != number-1 || values.Get("b") != "last") {
			t.Errorf("of %d values %d are read", number, len(values["a"])+len(values["b"]))
		}
		if err != nil && number <= 1_000 {
			t.Errorf("%d values are refused: %v", number, err)
		}
	}
}
