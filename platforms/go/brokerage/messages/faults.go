package messages

import (
	"reflect"

	"middlemark/brokerage"
)

// Key is the specification's key of a message's field.
func Key(field reflect.StructField) string { return field.Tag.Get("json") }

// Missing says that a message lacks a key.
func Missing(key string) error {
	return brokerage.Refuse(brokerage.InvalidInput, "The key %s is missing.", key)
}

// Unknown says that a message has a key that it should not have.
func Unknown(key string) error {
	return brokerage.Refuse(brokerage.InvalidInput, "The key %s is unknown.", key)
}

// WrongType says what a key needs.
func WrongType(key string, needed reflect.Type) error {
	if needed == reflect.TypeFor[brokerage.Cents]() {
		return brokerage.Refuse(brokerage.InvalidInput, `An amount must be text such as "1234.50".`)
	}
	form := "a whole number"
	switch needed.Kind() {
	case reflect.String:
		form = "text"
	case reflect.Slice:
		form = "a list"
	}
	return brokerage.Refuse(brokerage.InvalidInput, "The key %s must be %s.", key, form)
}
