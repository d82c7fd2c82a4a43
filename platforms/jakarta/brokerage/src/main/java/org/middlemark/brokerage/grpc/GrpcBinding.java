package org.middlemark.brokerage.grpc;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import jakarta.enterprise.context.ApplicationScoped;
import org.middlemark.brokerage.services.RemoteBinding;
import org.middlemark.brokerage.services.RemoteServices;
import org.middlemark.brokerage.settings.Binding;
import org.middlemark.calls.Calls;
import org.middlemark.settings.ServicesAddress;

/** Calls services elsewhere by gRPC. */
@ApplicationScoped
public class GrpcBinding implements RemoteBinding {
    @Override
    public Binding binding() {
        return Binding.GRPC;
    }

    @Override
    public RemoteServices connect(ServicesAddress address, int calls) {
        return new GrpcClient(Grpc.newChannelBuilderForAddress(address.host(), address.port(),
                InsecureChannelCredentials.create()).build(), new Calls(calls));
    }
}
