package org.middlemark.remoting.http;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.domain.Operation;
import org.middlemark.remoting.domain.Service;
import org.middlemark.remoting.domain.Unforeseen;
import org.middlemark.remoting.frames.FrameStream;
import org.middlemark.remoting.protobuf.ProtobufCalls;

/** The messages of remoting.proto over HTTP. */
@WebServlet("/services/protobuf/*")
public class ProtobufServlet extends HttpServlet {
    private final ProtobufCalls calls;

    @Inject
    public ProtobufServlet(Service service) {
        calls = new ProtobufCalls(service);
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String path = request.getPathInfo();
        Optional<Operation> operation = path == null ? Optional.empty() : Operation.of(path.substring(1));
        if (operation.isEmpty()) {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
            return;
        }
        // A request in chunks has no length before it.
        byte[] body = request.getInputStream().readNBytes(FrameStream.LONGEST + 1);
        MessageLite answer;
        try {
            if (body.length > FrameStream.LONGEST) {
                throw Refusal.invalid("The message is longer than 4 MiB.");
            }
            answer = Unforeseen.asInternal(() -> calls.answer(operation.get(), ByteString.copyFrom(body)));
        } catch (Refusal refusal) {
            HttpFailures.write(response, refusal);
            return;
        }
        response.setContentType("application/x-protobuf");
        response.setContentLength(answer.getSerializedSize());
        answer.writeTo(response.getOutputStream());
    }
}
