package webhooks

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Event is one row of webhook_outbox: written by the API in the transaction that changed the object, read here.
type Event struct {
	ID       string
	Endpoint string
	Object   string
	// Sequence counts the events of one object from 1. Merchants use it to drop what is older than what they have.
	Sequence int64
	Type     string
	Body     []byte
	Attempt  int
}

// claimDue takes events that are due. Rows that another dispatcher holds are passed over, so that many can run.
const claimDue = `
UPDATE webhook_outbox SET locked_until = now() + interval '2 minutes', attempt = attempt + 1
WHERE id IN (
    SELECT id FROM webhook_outbox
    WHERE delivered_at IS NULL AND next_attempt_at <= now() AND (locked_until IS NULL OR locked_until < now())
    ORDER BY next_attempt_at
    LIMIT $1
    FOR UPDATE SKIP LOCKED
)
RETURNING id, endpoint_id, object_id, sequence, type, body, attempt`

// Outbox reads the events that are due and keeps what became of them.
type Outbox struct {
	DB *sql.DB
}

// Claim takes up to limit events for two minutes. An event whose dispatcher dies is due again after that: delivery is at
// least once, never exactly once.
func (o *Outbox) Claim(ctx context.Context, limit int) ([]Event, error) {
	rows, err := o.DB.QueryContext(ctx, claimDue, limit)
	if err != nil {
		return nil, fmt.Errorf("claim events: %w", err)
	}
	defer rows.Close()
	var events []Event
	for rows.Next() {
		var e Event
		if err := rows.Scan(&e.ID, &e.Endpoint, &e.Object, &e.Sequence, &e.Type, &e.Body, &e.Attempt); err != nil {
			return nil, fmt.Errorf("read event: %w", err)
		}
		events = append(events, e)
	}
	return events, rows.Err()
}

// Delivered notes that the endpoint has answered with 2xx.
func (o *Outbox) Delivered(ctx context.Context, e Event) error {
	_, err := o.DB.ExecContext(ctx, `UPDATE webhook_outbox SET delivered_at = now() WHERE id = $1`, e.ID)
	return err
}

// Retry notes when the event is due again.
func (o *Outbox) Retry(ctx context.Context, e Event, wait time.Duration) error {
	_, err := o.DB.ExecContext(ctx,
		`UPDATE webhook_outbox SET next_attempt_at = now() + $2, locked_until = NULL WHERE id = $1`, e.ID, wait)
	return err
}

// PutBack returns an event that was not sent, because its endpoint takes nothing now. It does not count as an attempt.
func (o *Outbox) PutBack(ctx context.Context, e Event, wait time.Duration) error {
	_, err := o.DB.ExecContext(ctx,
		`UPDATE webhook_outbox SET attempt = attempt - 1, next_attempt_at = now() + $2, locked_until = NULL WHERE id = $1`,
		e.ID, wait)
	return err
}

// GiveUp moves the event to the dead letters, from where scripts/replay_webhooks.sh can bring it back.
func (o *Outbox) GiveUp(ctx context.Context, e Event, reason string) error {
	_, err := o.DB.ExecContext(ctx, `
WITH dead AS (DELETE FROM webhook_outbox WHERE id = $1 RETURNING *)
INSERT INTO webhook_dead_letters SELECT dead.*, $2, now() FROM dead`, e.ID, reason)
	return err
}
