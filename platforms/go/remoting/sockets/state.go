package sockets

import (
	"context"
	"crypto/tls"
	"net"
	"syscall"
	"time"
)

// raw is the connection that a TLS connection encrypts, or the connection itself.
func raw(connection net.Conn) net.Conn {
	if encrypted, is := connection.(*tls.Conn); is {
		return encrypted.NetConn()
	}
	return connection
}

// Unused says whether a kept connection can carry a call: the other side has neither closed it nor sent anything. It looks
// without waiting, as database/sql drivers do.
func Unused(connection net.Conn) bool {
	socket, can := raw(connection).(syscall.Conn)
	if !can {
		return true
	}
	control, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	quiet := false
	var ahead [1]byte
	err = control.Control(func(descriptor uintptr) { // not Read, which fails after the deadline of the call before
		_, _, err := syscall.Recvfrom(int(descriptor), ahead[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		quiet = err == syscall.EAGAIN || err == syscall.EWOULDBLOCK
	})
	return err == nil && quiet
}

// Dialer makes connections to an address, encrypted unless its config is nil.
func Dialer(network, address string, config *tls.Config) func(context.Context) (net.Conn, error) {
	if config == nil {
		return func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, network, address) }
	}
	dialer := &tls.Dialer{Config: config}
	return func(ctx context.Context) (net.Conn, error) { return dialer.DialContext(ctx, network, address) }
}

// Handshake is the state of an encrypted connection, nil of any other. The handshake may take as long as limit.
func Handshake(connection net.Conn, limit time.Duration) (*tls.ConnectionState, error) {
	encrypted, is := connection.(*tls.Conn)
	if !is {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := encrypted.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	state := encrypted.ConnectionState()
	return &state, nil
}
