package org.middlemark.brokerage.json;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import java.util.concurrent.TimeUnit;
import org.middlemark.brokerage.services.RemoteBinding;
import org.middlemark.brokerage.services.RemoteServices;
import org.middlemark.brokerage.settings.Binding;
import org.middlemark.calls.Calls;
import org.middlemark.settings.ServicesAddress;

/** Calls services elsewhere by JSON; all addresses share one client, which keeps the connections. */
@ApplicationScoped
public class JsonBinding implements RemoteBinding {
    /** The connections that RESTEasy's client keeps and uses at once, which no standard can change. */
    public static final int CONNECTIONS = 50;

    private Client client;

    @PostConstruct
    void open() {
        client = ClientBuilder.newBuilder().connectTimeout(Calls.LONGEST_CONNECT.toMillis(), TimeUnit.MILLISECONDS)
                .readTimeout(Calls.LONGEST_ANSWER.toMillis(), TimeUnit.MILLISECONDS)
                .register(JsonbValues.ofAnswers()).build();
    }

    @PreDestroy
    void close() {
        client.close();
    }

    @Override
    public Binding binding() {
        return Binding.JSON;
    }

    @Override
    public RemoteServices connect(ServicesAddress address, int calls) {
        return new JsonClient(client.target(address.toString()).path("services/json"),
                new Calls(Math.min(calls, CONNECTIONS)));
    }
}
