package frames

import (
	"errors"
	"io"
	"net"
	"time"
)

// lingering is the time in which a service still reads before it closes, so that its last answer arrives.
const lingering = time.Second

// Answer makes the answer to a frame; without more, the connection is closed after it.
type Answer func(frame []byte) (answer []byte, more bool)

// Serve answers each frame until the client closes the connection or sends bytes that are not a frame. A frame that is too long
// gets the answer tooLong.
func Serve(connection net.Conn, answer Answer, tooLong []byte) {
	line := NewLine(connection)
	for {
		if _, err := line.reader.Peek(1); err != nil { // for as long as the client likes
			return
		}
		if connection.SetDeadline(time.Now().Add(Limit)) != nil {
			return
		}
		frame, err := line.read()
		if errors.Is(err, errTooLong) {
			line.refuse(tooLong)
		}
		if err != nil {
			return
		}
		answered, more := answer(frame)
		if connection.SetDeadline(time.Now().Add(Limit)) != nil {
			return
		}
		if !more {
			line.refuse(answered)
			return
		}
		if line.write(answered) != nil || connection.SetDeadline(time.Time{}) != nil {
			return
		}
	}
}

// refuse sends the last frame of a connection.
func (l *Line) refuse(answer []byte) {
	if l.write(answer) != nil {
		return
	}
	if half, can := l.connection.(interface{ CloseWrite() error }); can {
		_ = half.CloseWrite() // the client may have closed it
	}
	if l.connection.SetReadDeadline(time.Now().Add(lingering)) == nil {
		_, _ = io.Copy(io.Discard, l.reader) // the rest has no meaning
	}
}
