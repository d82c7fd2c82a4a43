package org.middlemark.remoting.client.proxies;

import org.middlemark.remoting.domain.Service;

/**
 * The service over one protocol, for one user at a time: it has one connection. A Refusal is the service's own; any
 * other exception is no answer.
 */
public interface Proxy extends Service {
    /** Closes the connection that is kept. The next call makes another one. */
    void disconnect();
}
