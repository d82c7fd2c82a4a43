package org.middlemark.remoting.tls;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/**
 * The certificate of a process with its key, and the authority that it trusts.
 *
 * @param keys of the certificate
 * @param trust in the authority alone
 */
public record Identity(KeyManager[] keys, TrustManager[] trust) {
    /** Older ones are not spoken. */
    private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};
    /** Protects nothing: the key store is never outside of the memory of the process. */
    private static final char[] PASSWORD = "memory".toCharArray();

    /** Reads the files that {@code MM_CERTIFICATE}, {@code MM_KEY} and {@code MM_AUTHORITY} name. */
    public static Identity read(String certificate, String key, String authority) {
        Certificate[] chain = Pem.certificates("MM_CERTIFICATE", certificate);
        Certificate[] trusted = Pem.certificates("MM_AUTHORITY", authority);
        try {
            KeyStore keys = empty();
            keys.setKeyEntry("process", Pem.privateKey("MM_KEY", key, chain[0].getPublicKey().getAlgorithm()),
                    PASSWORD, chain);
            KeyManagerFactory keyManagers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keyManagers.init(keys, PASSWORD);
            KeyStore authorities = empty();
            for (int i = 0; i < trusted.length; i++) {
                authorities.setCertificateEntry("authority" + i, trusted[i]);
            }
            TrustManagerFactory trustManagers =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trustManagers.init(authorities);
            return new Identity(keyManagers.getKeyManagers(), trustManagers.getTrustManagers());
        } catch (GeneralSecurityException | IOException impossible) {
            throw new IllegalStateException("making a key store in memory", impossible);
        }
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    /** The factory of connections over TLS with this identity. */
    public SSLContext context() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, trust, new SecureRandom());
            return context;
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("making a TLS context", impossible);
        }
    }

    /** The versions of TLS that are spoken. */
    public static String[] versions() {
        return VERSIONS.clone();
    }
}
