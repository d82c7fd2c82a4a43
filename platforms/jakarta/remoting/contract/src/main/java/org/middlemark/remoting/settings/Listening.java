package org.middlemark.remoting.settings;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.middlemark.settings.Variables;

/** Where a process listens. */
public record Listening(String host, int port, int httpsPort, int tcpPort, int tcpSoapPort, int grpcPort, int rmiPort,
        Optional<Path> socket) {

    static Listening read(Variables variables) {
        return new Listening(variables.text("MM_HOST", "127.0.0.1"), variables.port("MM_PORT", 8080),
                variables.port("MM_HTTPS_PORT", 8443), variables.port("MM_TCP_PORT", 8081),
                variables.port("MM_TCP_SOAP_PORT", 8082), variables.port("MM_GRPC_PORT", 8083),
                variables.port("MM_NATIVE_PORT", 8084),
                Optional.of(variables.text("MM_SOCKET", "")).filter(path -> !path.isEmpty()).map(Path::of));
    }

    Map<String, String> shown() {
        Map<String, String> shown = new LinkedHashMap<>();
        shown.put("host", host);
        shown.put("port", Integer.toString(port));
        shown.put("https_port", Integer.toString(httpsPort));
        shown.put("tcp_port", Integer.toString(tcpPort));
        shown.put("tcp_soap_port", Integer.toString(tcpSoapPort));
        shown.put("grpc_port", Integer.toString(grpcPort));
        shown.put("native_port", Integer.toString(rmiPort));
        shown.put("socket", socket.map(Path::toString).orElse(""));
        return shown;
    }
}
