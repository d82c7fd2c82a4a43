package org.middlemark.brokerage.web;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.middlemark.brokerage.settings.Settings;

/** The addresses of all pages. */
@ApplicationScoped
public class Site {
    @Inject
    private AccessPages access;
    @Inject
    private HomePage home;
    @Inject
    private AccountPage account;
    @Inject
    private TradingPages trading;
    @Inject
    private StatisticsPage statistics;
    @Inject
    private ConfigPage config;
    @Inject
    private Settings settings;
    private final Map<String, Address> addresses = new HashMap<>();

    /** What the address answers, by its path. */
    Optional<Address> address(String path) {
        return Optional.ofNullable(addresses.get(path));
    }

    @PostConstruct
    void name() {
        at("/").get(access::welcome);
        at("/login").post(access::login);
        at("/logout").post(access::logout).forUsers();
        at("/register").get(access::registration).post(access::register);
        at("/home").get(home::show).forUsers();
        at("/account").get(account::show).post(account::save).forUsers();
        at("/portfolio").get(trading::portfolio).forUsers();
        at("/quotes").get(trading::quotes).post(trading::quotes).forUsers();
        at("/buy").post(trading::buy).forUsers();
        at("/sell").post(trading::sell).forUsers();
        at("/glossary").get(visit -> visit.show("glossary"));
        at("/statistics").get(statistics::show);
        if (settings.configPage()) {
            at("/config").get(config::show).post(config::change);
        }
    }

    private Address at(String path) {
        return addresses.computeIfAbsent(path, unused -> new Address());
    }
}
