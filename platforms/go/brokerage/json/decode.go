package json

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"middlemark/brokerage"
)

// decode reads a request strictly: one object with exactly the keys of T, none of them null. encoding/json alone
// would accept keys in any case and leave out missing ones.
func decode[T any](body []byte) (T, error) {
	var message T
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(body, &keys); err != nil || keys == nil {
		return message, notOneObject()
	}
	fields := reflect.TypeFor[T]()
	for i := range fields.NumField() {
		key := fields.Field(i).Tag.Get("json")
		value, found := keys[key]
		if !found || string(value) == "null" {
			return message, brokerage.Refuse(brokerage.InvalidInput, "The key %s is missing.", key)
		}
		delete(keys, key)
	}
	for key := range keys {
		return message, brokerage.Refuse(brokerage.InvalidInput, "The key %s is unknown.", key)
	}
	if err := json.Unmarshal(body, &message); err != nil {
		return message, wrongType(err)
	}
	return message, nil
}

func notOneObject() error {
	return brokerage.Refuse(brokerage.InvalidInput, "The request must be one JSON object.")
}

func wrongType(err error) error {
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) || mismatch.Type == reflect.TypeFor[brokerage.Cents]() {
		return brokerage.Refuse(brokerage.InvalidInput, `An amount must be text such as "1234.50".`)
	}
	key, _, _ := strings.Cut(mismatch.Field, ".")
	switch mismatch.Type.Kind() {
	case reflect.String:
		return brokerage.Refuse(brokerage.InvalidInput, "The key %s must be text.", key)
	case reflect.Slice:
		return brokerage.Refuse(brokerage.InvalidInput, "The key %s must be a list.", key)
	}
	return brokerage.Refuse(brokerage.InvalidInput, "The key %s must be a whole number.", key)
}
