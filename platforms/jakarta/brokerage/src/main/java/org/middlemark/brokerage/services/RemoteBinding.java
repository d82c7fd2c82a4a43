package org.middlemark.brokerage.services;

import org.middlemark.brokerage.settings.Binding;
import org.middlemark.settings.ServicesAddress;

/** A way to call services in another process. Each implementation is an application-scoped bean. */
public interface RemoteBinding {
    /** Which one it is. */
    Binding binding();

    /**
     * The services at an address. Nothing is asked of them yet.
     *
     * @param calls most calls at the same time
     */
    RemoteServices connect(ServicesAddress address, int calls);
}
