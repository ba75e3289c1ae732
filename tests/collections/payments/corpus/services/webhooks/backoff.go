// Package webhooks delivers events to merchants' endpoints.
package webhooks

import (
	"math/rand/v2"
	"time"
)

// MaxAttempts is how often one event is sent before it is given up. With the delays below that is after 65 hours at most.
const MaxAttempts = 15

const (
	firstDelay  = time.Minute
	longestWait = 12 * time.Hour
)

// Delay returns how long to wait after the given failed attempt, the first being 1.
//
// The wait doubles from one minute up to twelve hours. Half of it is fixed and half is random ("equal jitter"), so that
// the deliveries that failed together in one outage do not come back together, and none comes back at once.
func Delay(attempt int, random *rand.Rand) time.Duration {
	wait := longestWait
	if doublings := attempt - 1; doublings < 10 {
		wait = min(firstDelay<<doublings, longestWait)
	}
	half := wait / 2
	return half + time.Duration(random.Int64N(int64(half)))
}

// Exhausted tells whether no further attempt follows the given one.
func Exhausted(attempt int) bool {
	return attempt >= MaxAttempts
}
