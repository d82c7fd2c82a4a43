package org.middlemark.remoting.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import middlemark.remoting.v1.RemotingOuterClass.Answer;
import middlemark.remoting.v1.RemotingOuterClass.Call;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.middlemark.remoting.access.Gate;
import org.middlemark.remoting.domain.Authentication;
import org.middlemark.remoting.sockets.Conversation;
import org.middlemark.remoting.sockets.ProtobufConversation;
import org.middlemark.remoting.sockets.SoapConversation;
import org.middlemark.remoting.sockets.StreamListener;
import org.middlemark.remoting.sockets.TcpAcceptor;
import org.middlemark.remoting.sockets.UnixAcceptor;

/** Frames that a client of this platform does not send. */
class FramesTest {
    private static final String HOST = "127.0.0.1";
    private static final int TOO_LONG = (4 << 20) + 1;

    private final KnownService service = new KnownService();
    private StreamListener listener;
    private Socket socket;
    private DataInputStream in;
    private DataOutputStream out;

    @BeforeEach
    void start() throws IOException {
        connect(new ProtobufConversation(service, new Gate(Authentication.NONE, null)));
    }

    private void connect(Conversation conversation) throws IOException {
        TcpAcceptor acceptor = new TcpAcceptor(new InetSocketAddress(HOST, 0), Optional.empty());
        listener = StreamListener.start(acceptor, conversation, Thread::new);
        socket = new Socket(HOST, acceptor.localPort());
        socket.setSoTimeout(5_000);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
    }

    @AfterEach
    void stop() throws IOException {
        socket.close();
        listener.close();
    }

    private void send(byte[] frame) throws IOException {
        out.writeInt(frame.length);
        out.write(frame);
        out.flush();
    }

    private byte[] answer() throws IOException {
        return in.readNBytes(in.readInt());
    }

    private String code(Call call) throws IOException {
        send(call.toByteArray());
        return Answer.parseFrom(answer()).getCode();
    }

    @Test
    void afterACallThatCannotBeReadTheConnectionStays() throws IOException {
        ByteString noMessage = ByteString.copyFrom(new byte[] {(byte) 0xff});
        assertEquals("invalid_input", code(Call.newBuilder().setOperation("pong").build()));
        assertEquals("invalid_input",
                code(Call.newBuilder().setOperation("loadCustomer").setRequest(noMessage).build()));
        assertEquals("", code(Call.newBuilder().setOperation("ping").build()));
    }

    @Test
    void aFrameWithoutACallEndsTheConnection() throws IOException {
        send(new byte[] {(byte) 0xff});
        assertEquals("invalid_input", Answer.parseFrom(answer()).getCode());
        assertEquals(-1, in.read());
    }

    @Test
    void aFrameThatIsTooLongIsAnsweredAndEndsTheConnection() throws IOException {
        out.writeInt(TOO_LONG);
        out.flush();
        assertEquals("invalid_input", Answer.parseFrom(answer()).getCode());
        socket.shutdownOutput();
        assertEquals(-1, in.read());
    }

    @Test
    void aSocketTakesThePlaceOfAnOldOneAndOfNoOtherFile(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("socket");
        try (ServerSocketChannel left = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            left.bind(UnixDomainSocketAddress.of(path));
        }
        new UnixAcceptor(path).close();
        Files.writeString(path, "a text");
        assertThrows(IOException.class, () -> new UnixAcceptor(path));
        assertEquals("a text", Files.readString(path));
    }

    @Test
    void afterAnEnvelopeThatCannotBeReadTheConnectionStays() throws IOException {
        stop();
        connect(new SoapConversation(service));
        for (String unreadable : List.of("<no envelope>", envelope("pong"), envelope("storeOrder"))) {
            send(unreadable.getBytes(StandardCharsets.UTF_8));
            String fault = new String(answer(), StandardCharsets.UTF_8);
            assertTrue(fault.contains("<faultcode>soap:Client</faultcode>"), fault);
            assertTrue(fault.contains("<code>invalid_input</code>"), fault);
        }
        send(envelope("ping").getBytes(StandardCharsets.UTF_8));
        assertTrue(new String(answer(), StandardCharsets.UTF_8).contains("pingResponse"));
    }

    private static String envelope(String operation) {
        return "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body><" + operation
                + " xmlns='urn:middlemark:remoting:1'/></s:Body></s:Envelope>";
    }
}
