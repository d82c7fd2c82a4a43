package org.middlemark.brokerage.settings;

import java.net.URI;
import java.util.Locale;

/** What concerns the web tier. The address of the services is null where none is given. */
public record WebSettings(Binding binding, URI servicesUrl, int servicesConnections, int marketSummarySeconds, int sessionSeconds) {

    static final String SERVICES_FORM = "http://host:port";

    static WebSettings read(Variables variables) throws WrongSetting {
        Binding binding = Binding.valueOf(variables.choice("MM_BINDING", Binding.words()).toUpperCase(Locale.ROOT));
        return new WebSettings(binding, servicesUrl(variables),
                variables.number("MM_SERVICES_CONNECTIONS", 64, 1), variables.number("MM_MARKET_SUMMARY_SECONDS", 60, 0),
                variables.number("MM_SESSION_SECONDS", 300, 1));
    }

    private static URI servicesUrl(Variables variables) throws WrongSetting {
        URI address = variables.address("MM_SERVICES_URL", "http", SERVICES_FORM);
        if (address != null && !address.toString().equals("http://" + address.getHost() + ":" + address.getPort())) {
            throw new WrongSetting("MM_SERVICES_URL", Variables.withoutPassword(address.toString()), SERVICES_FORM);
        }
        return address;
    }
}
