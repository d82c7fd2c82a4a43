package soap

import (
	"encoding"
	"encoding/xml"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"middlemark/brokerage/messages"
)

// whiteSpace is what XML calls so; around numbers, amounts and times it means nothing.
const whiteSpace = " \t\r\n"

var errMalformed = errors.New("malformed")

// decode reads a message strictly: exactly the elements of the message, in any order. The values are read in the order
// of the message's fields, which is the operation's, so that of several faults the first is told.
func decode(from *element, message any) error {
	return decodeFields(from, reflect.ValueOf(message).Elem())
}

func decodeFields(from *element, fields reflect.Value) error {
	expected := make(map[string]int, fields.NumField())
	for i := range fields.NumField() {
		key, field := messages.Key(fields.Type().Field(i)), fields.Field(i)
		found := from.named(xml.Name{Space: operationSpace, Local: key})
		if err := decodeField(key, found, field); err != nil {
			return err
		}
		expected[key] = 1
		if field.Kind() == reflect.Slice {
			expected[key] = len(found)
		}
	}
	return refuseUnknown(from, expected)
}

// refuseUnknown refuses the first element, in the order of code points, that is more than what was expected.
func refuseUnknown(from *element, expected map[string]int) error {
	var unknown []string
	for _, inner := range from.elements {
		if inner.name.Space == operationSpace && expected[inner.name.Local] > 0 {
			expected[inner.name.Local]--
		} else {
			unknown = append(unknown, inner.name.Local)
		}
	}
	if len(unknown) > 0 {
		return messages.Unknown(slices.Min(unknown))
	}
	return nil
}

func decodeField(key string, found []*element, field reflect.Value) error {
	if field.Kind() == reflect.Slice {
		return decodeList(key, found, field)
	}
	if len(found) == 0 || found[0].isNil {
		if field.Kind() == reflect.Pointer {
			return nil
		}
		return messages.Missing(key)
	}
	if field.Kind() == reflect.Pointer {
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	return decodeValue(key, found[0], field)
}

func decodeList(key string, found []*element, list reflect.Value) error {
	list.Set(reflect.MakeSlice(list.Type(), len(found), len(found)))
	for i, item := range found {
		if item.isNil {
			return messages.Missing(key)
		}
		if err := decodeValue(key, item, list.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func decodeValue(key string, from *element, value reflect.Value) error {
	if value.Kind() == reflect.Struct {
		return decodeFields(from, value)
	}
	if len(from.elements) > 0 || setText(string(from.text), value) != nil {
		return messages.WrongType(key, value.Type())
	}
	return nil
}

func setText(text string, value reflect.Value) (err error) {
	if reads, ok := value.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return reads.UnmarshalText([]byte(strings.Trim(text, whiteSpace)))
	}
	switch value.Kind() {
	case reflect.String:
		value.SetString(text)
	case reflect.Int64:
		var n int64
		n, err = strconv.ParseInt(strings.Trim(text, whiteSpace), 10, 64)
		value.SetInt(n)
	case reflect.Bool:
		err = setBool(strings.Trim(text, whiteSpace), value)
	default: // no message has such a field
		panic(value.Type())
	}
	return err
}

// setBool reads what XML Schema calls a boolean.
func setBool(text string, value reflect.Value) error {
	switch text {
	case "true", "1":
		value.SetBool(true)
	case "false", "0":
		value.SetBool(false)
	default:
		return errMalformed
	}
	return nil
}
