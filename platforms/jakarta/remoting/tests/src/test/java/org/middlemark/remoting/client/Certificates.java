package org.middlemark.remoting.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.middlemark.remoting.tls.Identity;

/** An authority and the certificates that it signs, made by openssl as those of a deployment are. */
final class Certificates {
    private static final String AUTHORITY = "authority";

    private final Path folder;

    Certificates(Path folder) throws IOException, InterruptedException {
        this.folder = Files.createDirectories(folder);
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-subj", "/CN=authority", "-keyout", key(AUTHORITY), "-out", certificate(AUTHORITY));
    }

    /** Makes the certificate of a user with a role, for an address. */
    Certificates sign(String user, String role, String address) throws IOException, InterruptedException {
        String request = file(user + ".csr");
        String extensions = file(user + ".ext");
        Files.writeString(Path.of(extensions), "subjectAltName=IP:" + address + "\n");
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-subj", "/OU=" + role + "/CN=" + user, "-keyout", key(user), "-out", request);
        openssl("x509", "-req", "-in", request, "-CA", certificate(AUTHORITY), "-CAkey", key(AUTHORITY),
                "-CAcreateserial", "-days", "2", "-extfile", extensions, "-out", certificate(user));
        return this;
    }

    Identity identity(String user) {
        return Identity.read(certificate(user), key(user), certificate(AUTHORITY));
    }

    /** The variables of a process that has the certificate of a user and trusts this authority. */
    Map<String, String> variables(String user) {
        return Map.of("MM_AUTHENTICATION", "certificate", "MM_CERTIFICATE", certificate(user), "MM_KEY", key(user),
                "MM_AUTHORITY", certificate(AUTHORITY));
    }

    /** The certificate's file. */
    String certificate(String user) {
        return file(user + ".pem");
    }

    private String key(String user) {
        return file(user + ".key");
    }

    private String file(String name) {
        return folder.resolve(name).toString();
    }

    private static void openssl(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException(output);
        }
    }
}
