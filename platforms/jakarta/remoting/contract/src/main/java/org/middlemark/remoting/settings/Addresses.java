package org.middlemark.remoting.settings;

import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.middlemark.settings.Variables;
import org.middlemark.settings.WrongSetting;

/** Where the service is, by protocol; nothing where no address is set. */
public record Addresses(Optional<URI> http, Optional<URI> https, Optional<URI> tcp, Optional<URI> tcpSoap,
        Optional<URI> grpc, Optional<URI> rmi, Optional<Path> socket) {

    static Addresses read(Variables variables) {
        return new Addresses(url(variables, "MM_SERVICE_URL", "http"), url(variables, "MM_SERVICE_HTTPS_URL", "https"),
                hostPort(variables, "MM_SERVICE_TCP"), hostPort(variables, "MM_SERVICE_TCP_SOAP"),
                hostPort(variables, "MM_SERVICE_GRPC"), hostPort(variables, "MM_SERVICE_NATIVE"),
                Optional.of(variables.text("MM_SERVICE_SOCKET", "")).filter(path -> !path.isEmpty()).map(Path::of));
    }

    /** The address of a setting that has a host and a port. */
    public static InetSocketAddress socketAddress(URI address) {
        return new InetSocketAddress(address.getHost(), address.getPort());
    }

    Map<String, String> shown() {
        Map<String, String> shown = new LinkedHashMap<>();
        shown.put("service_url", http.map(URI::toString).orElse(""));
        shown.put("service_https_url", https.map(URI::toString).orElse(""));
        shown.put("service_tcp", tcp.map(URI::getAuthority).orElse(""));
        shown.put("service_tcp_soap", tcpSoap.map(URI::getAuthority).orElse(""));
        shown.put("service_grpc", grpc.map(URI::getAuthority).orElse(""));
        shown.put("service_native", rmi.map(URI::getAuthority).orElse(""));
        shown.put("service_socket", socket.map(Path::toString).orElse(""));
        return shown;
    }

    private static Optional<URI> url(Variables variables, String name, String scheme) {
        String value = variables.text(name, "");
        return value.isEmpty() ? Optional.empty() : Optional.of(parsed(name, value, value, scheme));
    }

    private static Optional<URI> hostPort(Variables variables, String name) {
        String value = variables.text(name, "");
        return value.isEmpty() ? Optional.empty() : Optional.of(parsed(name, value, "tcp://" + value, "tcp"));
    }

    private static URI parsed(String name, String value, String text, String scheme) {
        String allowed = ("tcp".equals(scheme) ? "" : scheme + "://") + "host:port";
        try {
            URI address = new URI(text);
            boolean bare = "".equals(address.getRawPath()) && address.getRawQuery() == null
                    && address.getRawFragment() == null && address.getRawUserInfo() == null;
            if (scheme.equals(address.getScheme()) && address.getHost() != null && address.getPort() > 0 && bare) {
                return address;
            }
        } catch (URISyntaxException malformed) {
            throw new WrongSetting(name, value, allowed);
        }
        throw new WrongSetting(name, value, allowed);
    }
}
