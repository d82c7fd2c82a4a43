package json

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"unicode/utf8"

	"middlemark/brokerage"
	"middlemark/brokerage/messages"
)

var errNoObject = errors.New("not one JSON object")

// decode reads a message strictly: one object with exactly the keys of the message, null only where nothing is an answer.
// The values are read in the order of the message's fields, which is the operation's, so that of several faults the first
// is told. encoding/json alone would accept keys in any case, leave out missing ones, and tell the fault that stands first
// in the text, and would put U+FFFD where a text is no Unicode.
func decode(body []byte, message any) error {
	if !utf8.Valid(body) || hasLoneSurrogate(body) {
		return errNoObject
	}
	return decodeObject(body, reflect.ValueOf(message).Elem())
}

// escapes finds what a backslash begins, from left to right: the escapes of a surrogate pair; of a surrogate alone, as
// the group; any other escape.
var escapes = regexp.MustCompile(
	`\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)`)

// hasLoneSurrogate says whether half of a surrogate pair is escaped in a JSON text.
func hasLoneSurrogate(text []byte) bool {
	if !bytes.Contains(text, []byte(`\u`)) {
		return false
	}
	for _, group := range escapes.FindAllSubmatchIndex(text, -1) {
		if group[2] >= 0 {
			return true
		}
	}
	return false
}

func decodeObject(text []byte, fields reflect.Value) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(text, &values); err != nil || values == nil {
		return errNoObject
	}
	for i := range fields.NumField() {
		key, field := messages.Key(fields.Type().Field(i)), fields.Field(i)
		value, found := values[key]
		if !found || (string(value) == "null" && field.Kind() != reflect.Pointer) {
			return messages.Missing(key)
		}
		if err := decodeValue(key, value, field); err != nil {
			return err
		}
		delete(values, key)
	}
	if len(values) > 0 {
		return messages.Unknown(slices.Min(slices.Collect(maps.Keys(values)))) // always the same one, as a map would not
	}
	return nil
}

func decodeValue(key string, value json.RawMessage, field reflect.Value) error {
	if field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Struct {
		return decodeObjects(key, value, field)
	}
	if texts, ok := field.Addr().Interface().(*[]string); ok {
		return decodeTexts(key, value, texts)
	}
	if err := json.Unmarshal(value, field.Addr().Interface()); err != nil {
		return wrongType(key, field.Type(), err)
	}
	return nil
}

func decodeObjects(key string, value json.RawMessage, list reflect.Value) error {
	var objects []json.RawMessage
	if err := json.Unmarshal(value, &objects); err != nil {
		return messages.WrongType(key, list.Type())
	}
	list.Set(reflect.MakeSlice(list.Type(), len(objects), len(objects)))
	for i, object := range objects {
		if err := decodeObject(object, list.Index(i)); err != nil {
			return fmt.Errorf("number %d of %s: %w", i+1, key, err)
		}
	}
	return nil
}

// decodeTexts reads a list that must not hold null, which encoding/json would take for the empty text.
func decodeTexts(key string, value json.RawMessage, list *[]string) error {
	var found []*string
	if err := json.Unmarshal(value, &found); err != nil {
		return wrongType(key, reflect.TypeOf(*list), err)
	}
	*list = make([]string, 0, len(found))
	for _, text := range found {
		if text == nil {
			return messages.Missing(key)
		}
		*list = append(*list, *text)
	}
	return nil
}

// wrongType names what the key needs; in a list the element at fault decides.
func wrongType(key string, needed reflect.Type, err error) error {
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) && needed != reflect.TypeFor[brokerage.Cents]() {
		needed = mismatch.Type
	}
	return messages.WrongType(key, needed)
}
