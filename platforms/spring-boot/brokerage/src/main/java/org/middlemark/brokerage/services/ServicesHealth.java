package org.middlemark.brokerage.services;

import org.middlemark.brokerage.operations.Brokerage;
import org.middlemark.brokerage.operations.Request;
import org.middlemark.brokerage.process.HealthCheck;
import org.middlemark.brokerage.settings.WebTier;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

/** The services answer, wherever they are. */
@Component
@WebTier
class ServicesHealth implements HealthCheck {

    private final Brokerage services;

    ServicesHealth(@Qualifier("services") Brokerage services) {
        this.services = services;
    }

    @Override
    public void check() {
        services.ping(new Request.Nothing());
    }
}
