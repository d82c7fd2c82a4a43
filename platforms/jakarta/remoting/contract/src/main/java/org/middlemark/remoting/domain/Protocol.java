package org.middlemark.remoting.domain;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** How a call travels. {@link #word()} is its name in the client's addresses. */
public enum Protocol {
    LOCAL(Authentication.NONE),
    UNIX(Authentication.NONE),
    TCP_PROTOBUF(Authentication.NONE, Authentication.TOKEN, Authentication.CERTIFICATE),
    TCP_SOAP(Authentication.NONE),
    GRPC(Authentication.values()),
    HTTP_PROTOBUF(Authentication.values()),
    JSON(Authentication.values()),
    SOAP(Authentication.values()),
    RMI(Authentication.NONE);

    private final Set<Authentication> offered;

    Protocol(Authentication... offered) {
        this.offered = EnumSet.copyOf(Arrays.asList(offered));
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The protocol of a name; nothing for any other text. */
    public static Optional<Protocol> of(String word) {
        return Arrays.stream(values()).filter(protocol -> protocol.word().equals(word)).findFirst();
    }

    /** Whether calls over it may be made with an authentication. */
    public boolean isOfferedWith(Authentication authentication) {
        return offered.contains(authentication);
    }
}
