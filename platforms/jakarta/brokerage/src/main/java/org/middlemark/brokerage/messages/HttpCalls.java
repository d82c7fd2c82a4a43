package org.middlemark.brokerage.messages;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.middlemark.brokerage.settings.ServicesAddress;

/**
 * Sends requests to the services over a limited number of connections that are kept alive. A request is never sent
 * twice, and one without an answer in time is given up. The JDK's client promises that; those behind JAX-WS and JAX-RS
 * leave it to a server's own settings how many connections there are and whether a POST is repeated.
 */
public final class HttpCalls {
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofNanos(CallLimit.TIME_NANOS)).build();
    private final URI services;
    private final CallLimit limit;

    /**
     * @param services where they are
     * @param connections to them at most
     */
    public HttpCalls(ServicesAddress services, int connections) {
        this.services = URI.create(services.toString());
        this.limit = new CallLimit(connections);
    }

    /** What was answered; {@code contentType} is without parameters. */
    public record Answer(int status, String contentType, byte[] body) {
    }

    /** Posts {@code body} to {@code path}; IOException when there is no answer in time. */
    public Answer post(String path, String contentType, byte[] body) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(services.resolve(path)).header("Content-Type", contentType)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body)).build();
        return limit.within(nanos -> send(request, nanos));
    }

    private Answer send(HttpRequest request, long nanos) throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<byte[]>> sent =
                client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray());
        try {
            HttpResponse<byte[]> response = sent.get(nanos, TimeUnit.NANOSECONDS);
            String contentType = response.headers().firstValue("Content-Type").orElse("");
            return new Answer(response.statusCode(), contentType.split(";", 2)[0].strip(), response.body());
        } catch (ExecutionException failure) {
            throw new IOException("the services at " + services + " do not answer", failure.getCause());
        } catch (TimeoutException late) {
            throw new IOException("the services at " + services + " do not answer in time", late);
        } finally {
            sent.cancel(true); // gives the connection up, unless the answer is here
        }
    }
}
