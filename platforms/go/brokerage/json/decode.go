package json

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"

	"middlemark/brokerage"
)

// decode reads a request strictly: one object with exactly the keys of T, none of them null. The values are read in the
// order of T's fields, which is the operation's, so that of several faults the first is told. encoding/json alone would
// accept keys in any case, leave out missing ones, and tell the fault that stands first in the text.
func decode[T any](body []byte) (T, error) {
	var message T
	var values map[string]json.RawMessage
	if err := json.Unmarshal(body, &values); err != nil || values == nil {
		return message, notOneObject()
	}
	fields := reflect.ValueOf(&message).Elem()
	for i := range fields.NumField() {
		key := fields.Type().Field(i).Tag.Get("json")
		value, found := values[key]
		if !found || string(value) == "null" {
			return message, brokerage.Refuse(brokerage.InvalidInput, "The key %s is missing.", key)
		}
		field := fields.Field(i)
		if err := json.Unmarshal(value, field.Addr().Interface()); err != nil {
			return message, wrongType(key, field.Type(), err)
		}
		delete(values, key)
	}
	if len(values) > 0 {
		unknown := slices.Min(slices.Collect(maps.Keys(values))) // always the same one, as a map would not
		return message, brokerage.Refuse(brokerage.InvalidInput, "The key %s is unknown.", unknown)
	}
	return message, nil
}

func notOneObject() error {
	return brokerage.Refuse(brokerage.InvalidInput, "The request must be one JSON object.")
}

// wrongType names what the key needs; in a list the element at fault decides.
func wrongType(key string, needed reflect.Type, err error) error {
	if needed == reflect.TypeFor[brokerage.Cents]() {
		return brokerage.Refuse(brokerage.InvalidInput, `An amount must be text such as "1234.50".`)
	}
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		needed = mismatch.Type
	}
	switch needed.Kind() {
	case reflect.String:
		return brokerage.Refuse(brokerage.InvalidInput, "The key %s must be text.", key)
	case reflect.Slice:
		return brokerage.Refuse(brokerage.InvalidInput, "The key %s must be a list.", key)
	}
	return brokerage.Refuse(brokerage.InvalidInput, "The key %s must be a whole number.", key)
}
