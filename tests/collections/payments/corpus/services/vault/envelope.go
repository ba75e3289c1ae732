// Package vault keeps card numbers. It is the only place where one exists in clear, and only in memory.
package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"fmt"
)

// KeyEncryptor wraps data keys with a master key that never leaves the hardware security module.
type KeyEncryptor interface {
	// Wrap encrypts a data key under the newest master key and says which one that was.
	Wrap(dataKey []byte) (wrapped []byte, masterKeyID string, err error)
	// Unwrap decrypts a data key under the master key it was wrapped with.
	Unwrap(wrapped []byte, masterKeyID string) ([]byte, error)
}

// Sealed is a card number at rest: its ciphertext, and its own data key wrapped by a master key.
type Sealed struct {
	Ciphertext  []byte
	Nonce       []byte
	WrappedKey  []byte
	MasterKeyID string
}

// Seal encrypts with AES-256-GCM under a fresh data key. The token is bound as associated data, so that a row cannot be
// moved to another token.
func Seal(hsm KeyEncryptor, token string, plain []byte) (Sealed, error) {
	dataKey := make([]byte, 32)
	if _, err := rand.Read(dataKey); err != nil {
		return Sealed{}, err
	}
	defer clear(dataKey)
	aead, err := newAEAD(dataKey)
	if err != nil {
		return Sealed{}, err
	}
	nonce := make([]byte, aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return Sealed{}, err
	}
	wrapped, id, err := hsm.Wrap(dataKey)
	if err != nil {
		return Sealed{}, fmt.Errorf("wrap data key: %w", err)
	}
	return Sealed{aead.Seal(nil, nonce, plain, []byte(token)), nonce, wrapped, id}, nil
}

// Open decrypts. The caller clears the result as soon as it has been sent to the acquirer.
func Open(hsm KeyEncryptor, token string, s Sealed) ([]byte, error) {
	dataKey, err := hsm.Unwrap(s.WrappedKey, s.MasterKeyID)
	if err != nil {
		return nil, fmt.Errorf("unwrap data key: %w", err)
	}
	defer clear(dataKey)
	aead, err := newAEAD(dataKey)
	if err != nil {
		return nil, err
	}
	return aead.Open(nil, s.Nonce, s.Ciphertext, []byte(token))
}

// Rewrap puts the data key under the newest master key. The card number itself is not decrypted, which makes a rotation
// of the master key cheap and keeps clear numbers out of it.
func Rewrap(hsm KeyEncryptor, s Sealed) (Sealed, error) {
	dataKey, err := hsm.Unwrap(s.WrappedKey, s.MasterKeyID)
	if err != nil {
		return s, err
	}
	defer clear(dataKey)
	s.WrappedKey, s.MasterKeyID, err = hsm.Wrap(dataKey)
	return s, err
}

func newAEAD(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}
