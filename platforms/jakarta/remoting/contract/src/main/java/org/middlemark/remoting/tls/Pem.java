package org.middlemark.remoting.tls;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.middlemark.settings.WrongSetting;

/** Reads the PEM files that variables name. A file that is not as allowed is a WrongSetting. */
public final class Pem {
    private static final String ALLOWED = "the path of a PEM file with ";
    private static final Pattern BLOCK = Pattern.compile("-----BEGIN ([A-Z ]+)-----([^-]+)-----END");

    private Pem() {
    }

    /** A step that files and keys make fail. */
    @FunctionalInterface
    private interface Reading<T> {
        T read() throws IOException, GeneralSecurityException;
    }

    /** The public key of an RSA pair ({@code BEGIN PUBLIC KEY}). */
    public static RSAPublicKey publicKey(String variable, String path) {
        return read(variable, path, "an RSA public key", () -> {
            Key key = KeyFactory.getInstance("RSA")
                    .generatePublic(new X509EncodedKeySpec(block(Path.of(path), "PUBLIC KEY")));
            return (RSAPublicKey) key;
        });
    }

    /** A private key ({@code BEGIN PRIVATE KEY}) of the algorithm of its certificate. */
    static PrivateKey privateKey(String variable, String path, String algorithm) {
        return read(variable, path, "a private key in PKCS #8", () -> KeyFactory.getInstance(algorithm)
                .generatePrivate(new PKCS8EncodedKeySpec(block(Path.of(path), "PRIVATE KEY"))));
    }

    /** All certificates of a file. */
    static Certificate[] certificates(String variable, String path) {
        return read(variable, path, "certificates", () -> {
            try (InputStream file = Files.newInputStream(Path.of(path))) {
                Collection<? extends Certificate> all =
                        CertificateFactory.getInstance("X.509").generateCertificates(file);
                if (all.isEmpty()) {
                    throw new IOException("no certificate");
                }
                return all.toArray(new Certificate[0]);
            }
        });
    }

    private static byte[] block(Path path, String name) throws IOException {
        Matcher blocks = BLOCK.matcher(Files.readString(path));
        while (blocks.find()) {
            if (blocks.group(1).equals(name)) {
                return Base64.getMimeDecoder().decode(blocks.group(2));
            }
        }
        throw new IOException("no " + name);
    }

    private static <T> T read(String variable, String path, String contents, Reading<T> reading) {
        try {
            return reading.read();
        } catch (IOException | GeneralSecurityException | IllegalArgumentException | ClassCastException failure) {
            throw new WrongSetting(variable, path, ALLOWED + contents);
        }
    }
}
