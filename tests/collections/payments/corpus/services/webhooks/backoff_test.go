package webhooks

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestDelayDoublesUpToTwelveHours(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct {
		attempt int
		longest time.Duration
	}{
		{1, time.Minute},
		{2, 2 * time.Minute},
		{10, 512 * time.Minute},
		{11, 12 * time.Hour},
		{14, 12 * time.Hour},
	} {
		for range 100 {
			wait := Delay(test.attempt, random)
			if wait < test.longest/2 || wait >= test.longest {
				t.Fatalf("attempt %d waits %s, not between half of %s and all of it", test.attempt, wait, test.longest)
			}
		}
	}
}

func TestTheFifteenthAttemptIsTheLast(t *testing.T) {
	if Exhausted(14) || !Exhausted(15) {
		t.Fatal("15 attempts are made")
	}
}
