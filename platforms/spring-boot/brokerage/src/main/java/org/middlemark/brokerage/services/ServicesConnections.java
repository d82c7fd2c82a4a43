package org.middlemark.brokerage.services;

import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.util.Timeout;
import org.middlemark.brokerage.settings.WebSettings;

/** The connections from the web tier to the services, over any remote binding. */
public final class ServicesConnections {

    private static final Timeout CONNECT = Timeout.ofSeconds(2);
    private static final Timeout ANSWER = Timeout.ofSeconds(15);

    private ServicesConnections() {
    }

    /** Returns a client that keeps its connections open, waits at most 15 s for an answer and repeats nothing by itself. */
    public static HttpClientBuilder client(WebSettings settings) {
        return HttpClientBuilder.create()
                .setConnectionManager(PoolingHttpClientConnectionManagerBuilder.create()
                        .setMaxConnTotal(settings.servicesConnections())
                        .setMaxConnPerRoute(settings.servicesConnections())
                        .setDefaultConnectionConfig(ConnectionConfig.custom().setConnectTimeout(CONNECT).setSocketTimeout(ANSWER).build())
                        .build())
                .setDefaultRequestConfig(RequestConfig.custom().setConnectionRequestTimeout(ANSWER).setResponseTimeout(ANSWER).build())
                .disableAutomaticRetries()
                .disableCookieManagement()
                .disableRedirectHandling()
                .disableContentCompression()
                .disableAuthCaching();
    }
}
