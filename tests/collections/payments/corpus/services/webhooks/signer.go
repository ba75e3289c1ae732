package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// SignatureHeader carries the time and the signatures of a delivery.
const SignatureHeader = "Ledgerline-Signature"

// Secret is one signing secret of an endpoint. An endpoint has two while one is being rotated.
type Secret struct {
	Value     []byte
	ExpiresAt time.Time // zero: does not expire
}

// Sign returns the header's value: the time and one v1 signature for each secret that has not expired.
//
// What is signed is the time, a dot and the raw body, so that neither can be changed or replayed alone.
func Sign(secrets []Secret, body []byte, now time.Time) string {
	timestamp := strconv.FormatInt(now.Unix(), 10)
	parts := []string{"t=" + timestamp}
	for _, secret := range secrets {
		if !secret.ExpiresAt.IsZero() && now.After(secret.ExpiresAt) {
			continue
		}
		mac := hmac.New(sha256.New, secret.Value)
		mac.Write([]byte(timestamp + "."))
		mac.Write(body)
		parts = append(parts, "v1="+hex.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(parts, ",")
}
