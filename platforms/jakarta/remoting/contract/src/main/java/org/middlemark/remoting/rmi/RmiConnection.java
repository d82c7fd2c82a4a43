package org.middlemark.remoting.rmi;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import org.middlemark.calls.Calls;

/**
 * A connection that can be ended between two calls. RMI has no way to do that: it uses a kept connection again without
 * a look when the last call was milliseconds ago. Therefore RMI keeps this socket. The next call connects it anew, with
 * the first bytes that RMI sends itself (Java Remote Method Invocation Specification, 10.2, StreamProtocol).
 */
final class RmiConnection extends Socket {
    private static final int LONGEST_ANSWER_MILLISECONDS = 10_000;
    private static final int MAGIC = 0x4a524d49;
    private static final int VERSION = 2;
    private static final int STREAM_PROTOCOL = 0x4b;
    private static final int PROTOCOL_ACK = 0x4e;

    private final InetSocketAddress service;
    private volatile Socket connected;

    RmiConnection(InetSocketAddress service) throws IOException {
        this.service = service;
        connected = connect();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(service, (int) Calls.LONGEST_CONNECT.toMillis());
            socket.setSoTimeout(LONGEST_ANSWER_MILLISECONDS);
            socket.setTcpNoDelay(true);
        } catch (IOException failure) {
            socket.close();
            throw failure;
        }
        return socket;
    }

    /** Ends the connection until something is written. */
    void disconnect() throws IOException {
        Socket socket = connected;
        connected = null;
        if (socket != null) {
            socket.close();
        }
    }

    private Socket reconnected() throws IOException {
        Socket socket = connected;
        if (socket == null) {
            socket = connect();
            try {
                begin(socket);
            } catch (IOException failure) {
                socket.close();
                throw failure;
            }
            connected = socket;
        }
        return socket;
    }

    private static void begin(Socket socket) throws IOException {
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        out.writeInt(MAGIC);
        out.writeShort(VERSION);
        out.writeByte(STREAM_PROTOCOL);
        out.flush();
        DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        if (in.readByte() != PROTOCOL_ACK) {
            throw new SocketException("the service does not speak RMI");
        }
        // Addresses of the client, as the service sees it and as it names itself: neither is used.
        in.readUTF();
        in.readInt();
        out.writeUTF("");
        out.writeInt(0);
        out.flush();
    }

    @Override
    public InputStream getInputStream() {
        return new Answers();
    }

    @Override
    public OutputStream getOutputStream() {
        return new Requests();
    }

    @Override
    public synchronized void close() throws IOException {
        super.close();
        disconnect();
    }

    /** Leaves it as it is: RMI would wait longer at the beginning of a connection. */
    @Override
    public void setSoTimeout(int milliseconds) {
    }

    @Override
    public int getSoTimeout() {
        return LONGEST_ANSWER_MILLISECONDS;
    }

    /** Leaves it as it is: on. */
    @Override
    public void setTcpNoDelay(boolean on) {
    }

    /** Leaves it as it is: off. */
    @Override
    public void setKeepAlive(boolean on) {
    }

    private final class Answers extends InputStream {
        private Socket open() throws IOException {
            Socket socket = connected;
            if (socket == null) {
                throw new SocketException("the connection has ended");
            }
            return socket;
        }

        @Override
        public int read() throws IOException {
            return open().getInputStream().read();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            return open().getInputStream().read(bytes, offset, length);
        }
    }

    private final class Requests extends OutputStream {
        @Override
        public void write(int value) throws IOException {
            reconnected().getOutputStream().write(value);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            reconnected().getOutputStream().write(bytes, offset, length);
        }
    }
}
