package processing

import (
	"slices"
	"testing"
	"time"
)

func TestAFailureIsLeftAloneForAPauseAndForgottenWhenItsMessageDoesNotComeAgain(t *testing.T) {
	const pause = time.Second
	failed := failures{pause: pause, until: make(map[int64]time.Time)}
	begin := time.Now()
	if !failed.add(7, begin) || !failed.add(8, begin) {
		t.Error("the first failure of a message is not new")
	}
	if left := failed.leftAlone(begin); !slices.Contains(left, 7) || !slices.Contains(left, 8) {
		t.Errorf("right after they failed, %v are left alone", left)
	}
	for range 3 * seenAgain { // message 8 fails again and again, message 7 is gone
		begin = begin.Add(2 * pause)
		if left := failed.leftAlone(begin); len(left) != 0 {
			t.Fatalf("after the pause, %v are left alone", left)
		}
		if failed.add(8, begin) {
			t.Fatal("a failure that comes again is new, so it would be logged again")
		}
	}
	if _, kept := failed.until[7]; kept || len(failed.until) != 1 {
		t.Errorf("kept are %v", failed.until)
	}
}
