package webhooks

import (
	"sync"
	"time"
)

const (
	// Failures in a row that open the breaker of an endpoint.
	openAfter = 10
	// How long an open breaker lets nothing through before it tries one delivery.
	coolDown = 5 * time.Minute
	// MaxInFlight is how many deliveries one endpoint may occupy at a time: a slow one cannot take all workers.
	MaxInFlight = 8
)

// Breaker keeps one slow or dead endpoint from starving the others.
type Breaker struct {
	mu       sync.Mutex
	failures int
	openedAt time.Time
	inFlight int
}

// Enter asks for a slot. False means: not now, put the event back without counting an attempt.
func (b *Breaker) Enter(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.inFlight >= MaxInFlight {
		return false
	}
	if b.failures >= openAfter {
		if now.Sub(b.openedAt) < coolDown || b.inFlight > 0 {
			return false
		}
	}
	b.inFlight++
	return true
}

// Leave gives the slot back and remembers how the delivery went.
func (b *Breaker) Leave(ok bool, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.inFlight--
	if ok {
		b.failures = 0
		return
	}
	b.failures++
	if b.failures >= openAfter {
		b.openedAt = now
	}
}
