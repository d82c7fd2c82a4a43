package org.middlemark.brokerage.grpc;

import jakarta.enterprise.context.ApplicationScoped;
import org.middlemark.brokerage.services.RemoteBinding;
import org.middlemark.brokerage.services.RemoteServices;
import org.middlemark.brokerage.settings.Binding;
import org.middlemark.brokerage.settings.ServicesAddress;

/** Calls services elsewhere by gRPC. */
@ApplicationScoped
public class GrpcBinding implements RemoteBinding {
    /** Far above the longest answer, which lists a user's holdings: 150,000 of them. */
    public static final int MOST_BYTES_OF_AN_ANSWER = 64 * 1024 * 1024;

    private static final int CHANNELS = 4;

    /** How many connections so many calls at once share: one connection is read and written by one thread. */
    public static int channels(int calls) {
        return Math.min(CHANNELS, calls);
    }

    @Override
    public Binding binding() {
        return Binding.GRPC;
    }

    @Override
    public RemoteServices connect(ServicesAddress address, int connections) {
        return new GrpcClient(address, connections);
    }
}
