package org.middlemark.brokerage.json;

import com.fasterxml.jackson.annotation.JsonFormat;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.TimeZone;
import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** How money and times are written in JSON. */
@Configuration(proxyBeanMethods = false)
class JsonFormats {

    @Bean
    JsonMapperBuilderCustomizer formats() {
        return mapper -> mapper
                .withConfigOverride(BigDecimal.class, money -> money.setFormat(JsonFormat.Value.forShape(JsonFormat.Shape.STRING)))
                .withConfigOverride(Instant.class, time -> time.setFormat(
                        JsonFormat.Value.forPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSSX").withTimeZone(TimeZone.getTimeZone("UTC"))));
    }
}
