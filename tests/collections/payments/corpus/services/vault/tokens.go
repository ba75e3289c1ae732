package vault

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"strings"
)

// ErrNotACard is returned for a number that fails the check digit.
var ErrNotACard = errors.New("not a card number")

// NewToken returns a random name for a card. It is not computed from the number: no key and no table of hashes leads
// back from it.
func NewToken() (string, error) {
	raw := make([]byte, 20)
	if _, err := rand.Read(raw); err != nil {
		return "", err
	}
	return "tok_" + strings.ToLower(base32.StdEncoding.EncodeToString(raw)), nil
}

// Fingerprint tells whether two tokens stand for the same card, without telling which.
//
// It is an HMAC under a key of its own: a bare hash of a 16-digit number could be searched through in minutes.
func Fingerprint(key []byte, number string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(number))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// CheckNumber applies the Luhn check digit to a number of 12 to 19 digits.
func CheckNumber(number string) error {
	if len(number) < 12 || len(number) > 19 {
		return ErrNotACard
	}
	sum, double := 0, false
	for i := len(number) - 1; i >= 0; i-- {
		digit := int(number[i] - '0')
		if digit < 0 || digit > 9 {
			return ErrNotACard
		}
		if double {
			if digit *= 2; digit > 9 {
				digit -= 9
			}
		}
		sum += digit
		double = !double
	}
	if sum%10 != 0 {
		return ErrNotACard
	}
	return nil
}

// Masked shows the last four digits and nothing else, for receipts and logs.
func Masked(number string) string {
	return strings.Repeat("*", len(number)-4) + number[len(number)-4:]
}
