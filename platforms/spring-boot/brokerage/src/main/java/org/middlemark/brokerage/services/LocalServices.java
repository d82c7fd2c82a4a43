package org.middlemark.brokerage.services;

import org.middlemark.brokerage.operations.Brokerage;
import org.middlemark.brokerage.operations.LocalBrokerage;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;

/** Binding {@code local}: the web tier calls the services in its own process. */
@Configuration(proxyBeanMethods = false)
@Profile("local-binding")
class LocalServices {

    @Bean
    Brokerage services(LocalBrokerage brokerage) {
        return brokerage;
    }
}
