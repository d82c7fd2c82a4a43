package org.middlemark.remoting.access;

import java.security.cert.X509Certificate;
import java.util.Set;
import java.util.stream.Collectors;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/** A known user with its roles. */
public record Caller(String user, Set<String> roles) {

    /** The subject of a certificate that the authority has signed: CN is the user, OU the role. */
    public static Caller of(X509Certificate certificate) {
        try {
            LdapName subject = new LdapName(certificate.getSubjectX500Principal().getName());
            String user = values(subject, "CN").stream().findFirst().orElse("");
            return new Caller(user, values(subject, "OU"));
        } catch (InvalidNameException impossible) {
            throw new IllegalStateException("the subject of a certificate", impossible);
        }
    }

    private static Set<String> values(LdapName subject, String type) {
        return subject.getRdns().stream().filter(rdn -> rdn.getType().equalsIgnoreCase(type)).map(Rdn::getValue)
                .map(String::valueOf).collect(Collectors.toSet());
    }
}
