package webhooks

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"time"
)

// An endpoint that takes longer counts as failed. Merchants are told to answer first and work later.
const deliveryTimeout = 10 * time.Second

const batchSize = 200

// Endpoint is where a merchant wants to be called.
type Endpoint struct {
	URL     string
	Secrets []Secret
	Breaker *Breaker
}

// Dispatcher sends what is due and decides what happens after a failure.
type Dispatcher struct {
	Outbox    *Outbox
	Endpoints func(id string) (*Endpoint, error)
	Client    *http.Client
	Random    func() *rand.Rand // a generator of its own for each delivery: they run side by side
	Now       func() time.Time
}

// Run claims and sends batches until the context ends.
func (d *Dispatcher) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		events, err := d.Outbox.Claim(ctx, batchSize)
		if err != nil {
			return err
		}
		for _, event := range events {
			go d.handle(ctx, event)
		}
		if len(events) < batchSize {
			time.Sleep(time.Second)
		}
	}
	return ctx.Err()
}

// handle makes one attempt. The events of one object are not held back for each other: see ADR 0011.
func (d *Dispatcher) handle(ctx context.Context, event Event) {
	endpoint, err := d.Endpoints(event.Endpoint)
	if err != nil {
		slog.Error("unknown endpoint", "event", event.ID, "err", err)
		return
	}
	if !endpoint.Breaker.Enter(d.Now()) {
		_ = d.Outbox.PutBack(ctx, event, coolDown)
		return
	}
	err = d.send(ctx, endpoint, event)
	endpoint.Breaker.Leave(err == nil, d.Now())
	switch {
	case err == nil:
		err = d.Outbox.Delivered(ctx, event)
	case Exhausted(event.Attempt):
		err = d.Outbox.GiveUp(ctx, event, err.Error())
	default:
		err = d.Outbox.Retry(ctx, event, Delay(event.Attempt, d.Random()))
	}
	if err != nil {
		slog.Error("cannot note delivery", "event", event.ID, "err", err)
	}
}

// send posts the signed body. Any answer but 2xx is a failure, a redirect too: it could lead a secret elsewhere.
func (d *Dispatcher) send(ctx context.Context, endpoint *Endpoint, event Event) error {
	ctx, cancel := context.WithTimeout(ctx, deliveryTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint.URL, bytes.NewReader(event.Body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(SignatureHeader, Sign(endpoint.Secrets, event.Body, d.Now()))
	request.Header.Set("Ledgerline-Event", event.ID)
	response, err := d.Client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return fmt.Errorf("endpoint answered %d", response.StatusCode)
	}
	return nil
}
