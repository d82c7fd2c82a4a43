// Package frames sends bytes after their length over a connection that carries one call at a time (specs/remoting/protocols.md).
package frames

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"time"
)

const (
	// MaxFrame is the longest frame, without its length.
	MaxFrame = 4 << 20
	// Limit is how long a frame may take from its first byte to its last.
	Limit = 10 * time.Second

	lengthBytes = 4
	kept        = 64 << 10 // the largest buffer that a connection keeps
)

var errTooLong = errors.New("the frame is longer than 4 MiB")

// Line is a connection that carries frames. One goroutine uses it.
type Line struct {
	connection net.Conn
	reader     *bufio.Reader
	in, out    []byte
}

// NewLine carries frames over a connection.
func NewLine(connection net.Conn) *Line {
	return &Line{connection: connection, reader: bufio.NewReaderSize(connection, 16<<10)}
}

// read is the next frame, which is valid until the next one is read. Its bytes are kept only as they arrive: a length
// alone takes no memory.
func (l *Line) read() ([]byte, error) {
	var header [lengthBytes]byte
	if _, err := io.ReadFull(l.reader, header[:]); err != nil {
		return nil, err
	}
	length := int(binary.BigEndian.Uint32(header[:]))
	if length > MaxFrame {
		return nil, errTooLong
	}
	if cap(l.in) > kept {
		l.in = nil
	}
	l.in = l.in[:0]
	for len(l.in) < length {
		piece := min(length-len(l.in), max(cap(l.in), kept/4))
		l.in = slices.Grow(l.in, piece)
		n, err := io.ReadFull(l.reader, l.in[len(l.in):len(l.in)+piece])
		l.in = l.in[:len(l.in)+n]
		if err != nil {
			return nil, err
		}
	}
	return l.in, nil
}

// write sends a frame in one piece.
func (l *Line) write(frame []byte) error {
	if len(frame) > MaxFrame {
		return errTooLong
	}
	if cap(l.out) > kept {
		l.out = nil
	}
	l.out = append(binary.BigEndian.AppendUint32(l.out[:0], uint32(len(frame))), frame...)
	_, err := l.connection.Write(l.out)
	return err
}
