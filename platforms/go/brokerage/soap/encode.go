package soap

import (
	"bytes"
	"encoding"
	"encoding/xml"
	"reflect"
	"strconv"

	"middlemark/brokerage/messages"
)

// encode writes an envelope with a message under the name of its element.
func encode(name string, message any) []byte {
	var out bytes.Buffer
	out.WriteString(opening + `<` + name + ` xmlns="` + operationSpace + `">`)
	writeFields(&out, reflect.ValueOf(message))
	out.WriteString(`</` + name + `>` + closing)
	return out.Bytes()
}

// writeFields writes one element for each field, in the order of the fields, which is that of the WSDL.
func writeFields(out *bytes.Buffer, message reflect.Value) {
	for i := range message.NumField() {
		key, field := messages.Key(message.Type().Field(i)), message.Field(i)
		if field.Kind() == reflect.Slice {
			for j := range field.Len() {
				writeElement(out, key, field.Index(j))
			}
			continue
		}
		if field.Kind() == reflect.Pointer {
			if field.IsNil() { // nothing is no element
				continue
			}
			field = field.Elem()
		}
		writeElement(out, key, field)
	}
}

func writeElement(out *bytes.Buffer, key string, value reflect.Value) {
	out.WriteString("<" + key + ">")
	switch written := value.Interface().(type) {
	case encoding.TextMarshaler:
		text, err := written.MarshalText()
		if err != nil { // amounts and times always can be written
			panic(err)
		}
		out.Write(text)
	default:
		writeValue(out, value)
	}
	out.WriteString("</" + key + ">")
}

func writeValue(out *bytes.Buffer, value reflect.Value) {
	switch value.Kind() {
	case reflect.Struct:
		writeFields(out, value)
	case reflect.String:
		escape(out, value.String())
	case reflect.Int64:
		out.Write(strconv.AppendInt(out.AvailableBuffer(), value.Int(), 10))
	case reflect.Bool:
		out.Write(strconv.AppendBool(out.AvailableBuffer(), value.Bool()))
	default: // no message has such a field
		panic(value.Type())
	}
}

func escape(out *bytes.Buffer, text string) {
	_ = xml.EscapeText(out, []byte(text)) // a buffer takes everything
}
