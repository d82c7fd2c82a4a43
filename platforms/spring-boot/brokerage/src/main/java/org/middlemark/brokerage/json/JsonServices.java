package org.middlemark.brokerage.json;

import java.io.IOException;
import org.middlemark.brokerage.errors.ErrorCode;
import org.middlemark.brokerage.errors.Refusal;
import org.middlemark.brokerage.operations.Brokerage;
import org.middlemark.brokerage.operations.Request;
import org.middlemark.brokerage.services.ServicesConnections;
import org.middlemark.brokerage.settings.Settings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.invoker.HttpExchangeAdapter;
import org.springframework.web.service.invoker.HttpExchangeAdapterDecorator;
import org.springframework.web.service.invoker.HttpRequestValues;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Binding {@code json}: the web tier calls the services over JSON. */
@Configuration(proxyBeanMethods = false)
@Profile("json-binding")
class JsonServices {

    private static final Logger LOG = LoggerFactory.getLogger(JsonServices.class);

    @Bean
    Brokerage services(RestClient.Builder builder, JsonMapper mapper, Settings settings) {
        JsonMapper strict = mapper.rebuild().enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES).build();
        RestClient client = builder.baseUrl(settings.servicesUrl())
                .configureMessageConverters(converters -> converters.withJsonConverter(new JacksonJsonHttpMessageConverter(strict)))
                .requestFactory(new HttpComponentsClientHttpRequestFactory(ServicesConnections.client(settings.web()).build()))
                .defaultStatusHandler(status -> !status.is2xxSuccessful(), (request, response) -> {
                    throw refusal(response, mapper);
                })
                .build();
        return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client))
                .exchangeAdapterDecorator(CheckedCalls::new)
                .build()
                .createClient(Brokerage.class);
    }

    /** Returns what the services have refused; an answer that does not say that is none. */
    private static Refusal refusal(ClientHttpResponse response, JsonMapper mapper) throws IOException {
        HttpStatusCode status = response.getStatusCode();
        try {
            Problem problem = mapper.readValue(response.getBody(), Problem.class);
            if (problem != null && problem.code() != null) {
                return new Refusal(ErrorCode.of(problem.code()), problem.detail());
            }
            LOG.error("The services answered with status {} and no code", status);
        } catch (JacksonException | IllegalArgumentException unreadable) {
            LOG.error("The services answered with status {}: {}", status, unreadable.toString());
        }
        return Refusal.unavailable();
    }

    /** What of problem details the web tier tells. */
    private record Problem(String code, String detail) {
    }

    /** Sends no request with a value outside its limits, and makes no answer, or one that cannot be read, a refusal. */
    private static final class CheckedCalls extends HttpExchangeAdapterDecorator {

        CheckedCalls(HttpExchangeAdapter adapter) {
            super(adapter);
        }

        @Override
        public <T> T exchangeForBody(HttpRequestValues request, ParameterizedTypeReference<T> type) {
            if (request.getBodyValue() instanceof Request asked) {
                asked.check();
            }
            try {
                T answer = super.exchangeForBody(request, type);
                if (answer != null) {
                    return answer;
                }
                LOG.error("The services answered nothing to {}", request.getUriTemplate());
            } catch (RestClientException failure) {
                LOG.error("The services did not answer {}", request.getUriTemplate(), failure);
            }
            throw Refusal.unavailable();
        }
    }
}
