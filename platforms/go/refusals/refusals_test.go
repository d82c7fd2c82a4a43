package refusals

import (
	"errors"
	"strings"
	"testing"
)

func TestAnErrorThatIsNoRefusalTellsNothingToTheUser(t *testing.T) {
	refusal := Of(errors.New("relation orders does not exist"))
	if refusal.Code != Internal || strings.Contains(refusal.Message, "relation") {
		t.Errorf("the user reads %q", refusal.Message)
	}
}

func TestWhatCouldNotBeReadSaysNothingOfHow(t *testing.T) {
	refusal := Malformed(errors.New("json: cannot unmarshal number into Go struct field"))
	if refusal.Code != InvalidInput || refusal.Message != "The request cannot be read." {
		t.Errorf("the user reads %q", refusal.Message)
	}
}
