package org.middlemark.brokerage.grpc;

import jakarta.enterprise.context.ApplicationScoped;
import org.middlemark.brokerage.services.RemoteBinding;
import org.middlemark.brokerage.services.RemoteServices;
import org.middlemark.brokerage.settings.Binding;
import org.middlemark.brokerage.settings.ServicesAddress;

/** Calls services elsewhere by gRPC. */
@ApplicationScoped
public class GrpcBinding implements RemoteBinding {
    @Override
    public Binding binding() {
        return Binding.GRPC;
    }

    @Override
    public RemoteServices connect(ServicesAddress address, int connections) {
        return new GrpcClient(address, connections);
    }
}
