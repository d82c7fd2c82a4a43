package org.middlemark.remoting.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.life.About;
import org.middlemark.life.Application;
import org.middlemark.life.Health;
import org.middlemark.remoting.client.proxies.Proxies;
import org.middlemark.remoting.settings.Listening;

/** The client's addresses, by the HTTP server of the JDK. */
final class ClientServer {
    private static final int HEALTH_SECONDS = 2;
    private static final int FINISH_SECONDS = 10;
    private static final Logger LOG = Logger.getLogger(ClientServer.class.getName());

    private final HttpServer server;
    private final ExecutorService threads;
    private final AtomicInteger underWay = new AtomicInteger();

    private ClientServer(HttpServer server, ExecutorService threads) {
        this.server = server;
        this.threads = threads;
    }

    /** Begins to listen. */
    static ClientServer start(Application application, Listening listening, Health health, Proxies proxies)
            throws IOException {
        About about;
        try (InputStream commit = ClientServer.class.getResourceAsStream("/commit.txt")) {
            about = About.read(application, "HttpServer of the JDK", commit, Map.of());
        }
        HttpServer server = HttpServer.create(new InetSocketAddress(listening.host(), listening.port()), 0);
        ExecutorService threads = Executors.newCachedThreadPool();
        ClientServer client = new ClientServer(server, threads);
        server.setExecutor(threads);
        CallAddresses calls = new CallAddresses(proxies);
        client.offer("/call/", calls::call);
        client.offer("/loop/", calls::loop);
        client.offer("/about", exchange -> Responses.send(exchange, Responses.OK, Responses.JSON, about.json()));
        client.offer("/health", exchange -> client.health(exchange, health));
        server.start();
        return client;
    }

    /** The port that was chosen when the setting had none. */
    int port() {
        return server.getAddress().getPort();
    }

    private void offer(String path, HttpHandler handler) {
        server.createContext(path, exchange -> {
            underWay.incrementAndGet();
            // Without a look at both, the end of an exchange would close its connection.
            exchange.getRequestBody();
            exchange.getResponseBody();
            try {
                if (path.endsWith("/") || path.equals(exchange.getRequestURI().getPath())) {
                    handler.handle(exchange);
                } else {
                    Responses.notFound(exchange);
                }
            } catch (RuntimeException unforeseen) {
                LOG.log(Level.SEVERE, "A request failed", unforeseen);
                Responses.internal(exchange, unforeseen);
            } finally {
                exchange.close();
                underWay.decrementAndGet();
            }
        });
    }

    private void health(HttpExchange exchange, Health health) throws IOException {
        Optional<String> trouble = trouble(health);
        Responses.send(exchange, trouble.isPresent() ? Responses.UNAVAILABLE : Responses.OK,
                "text/plain; charset=utf-8", trouble.orElse("ok").getBytes(StandardCharsets.UTF_8));
    }

    /** Not to know within two seconds is trouble, too. */
    private Optional<String> trouble(Health health) {
        Future<Optional<String>> looking = threads.submit(() -> health.trouble(HEALTH_SECONDS));
        try {
            return looking.get(HEALTH_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException slow) {
            looking.cancel(true);
            return Optional.of("the service did not answer within " + HEALTH_SECONDS + " s");
        } catch (ExecutionException failure) {
            return Optional.of(String.valueOf(failure.getCause()));
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return Optional.of("the process is stopping");
        }
    }

    /**
     * Accepts nothing more, waits for the requests under way and closes all connections. Without a request the wait of
     * the JDK's server would last its whole time.
     */
    void stop() {
        server.stop(underWay.get() > 0 ? FINISH_SECONDS : 0);
        threads.shutdownNow();
    }
}
