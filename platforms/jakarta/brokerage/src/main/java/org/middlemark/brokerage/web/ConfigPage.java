package org.middlemark.brokerage.web;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.middlemark.brokerage.domain.Refusal;
import org.middlemark.brokerage.domain.WholeNumber;
import org.middlemark.brokerage.services.SettingsInEffect;
import org.middlemark.brokerage.settings.Binding;
import org.middlemark.brokerage.settings.OrderProcessing;
import org.middlemark.brokerage.settings.ServicesAddress;
import org.middlemark.brokerage.settings.Settings;

/** The settings that can change at run time. */
@ApplicationScoped
public class ConfigPage {
    @Inject
    private ServicesInReach services;
    @Inject
    private Settings settings;
    @Inject
    private SettingsInEffect inEffect;

    void show(Visit visit) throws IOException, ServletException {
        SettingsInEffect.Changeable now = inEffect.now();
        offered(visit).with("binding", now.binding().word()).with("ordering", now.orders().word())
                .with("servicesUrl", now.servicesUrl().map(Object::toString).orElse(""))
                .with("marketSummarySeconds", now.marketSummarySeconds()).show("config");
    }

    void change(Visit visit) throws IOException, ServletException {
        try {
            inEffect.change(typed(visit));
        } catch (Refusal refusal) {
            offered(visit).with("binding", visit.value("binding")).with("ordering", visit.value("orders"))
                    .with("servicesUrl", visit.value("services_url"))
                    .with("marketSummarySeconds", visit.value("market_summary_seconds"));
            AccessPages.showAgain(visit, refusal, "config");
            return;
        }
        visit.redirect("/config");
    }

    /** What the process can take: the words of the settings that are not disabled. */
    private Visit offered(Visit visit) {
        Set<String> bindings = services.bindings().stream().map(Binding::word).collect(Collectors.toSet());
        Set<String> orders = orders().stream().map(OrderProcessing::word).collect(Collectors.toSet());
        return visit.with("bindings", Binding.values()).with("offeredBindings", bindings)
                .with("processings", OrderProcessing.values()).with("offeredProcessings", orders);
    }

    /** Of several faults the first of seconds, binding, orders, address is told. */
    private SettingsInEffect.Changeable typed(Visit visit) {
        OptionalLong seconds = WholeNumber.typed(visit.value("market_summary_seconds"));
        if (seconds.isEmpty() || seconds.getAsLong() > Integer.MAX_VALUE) {
            throw Refusal.invalid("The age of the market summary must be a whole number of seconds.");
        }
        Binding binding = binding(visit.value("binding"));
        OrderProcessing orders = orders(visit.value("orders"));
        return new SettingsInEffect.Changeable(binding, address(visit.value("services_url"), binding), orders,
                (int) seconds.getAsLong());
    }

    private Binding binding(String word) {
        return services.bindings().stream().filter(one -> one.word().equals(word)).findFirst()
                .orElseThrow(() -> Refusal.invalid("The binding " + word + " is not offered by this process."));
    }

    private OrderProcessing orders(String word) {
        return orders().stream().filter(one -> one.word().equals(word)).findFirst()
                .orElseThrow(() -> Refusal.invalid("Orders cannot be processed as " + word + " by this process."));
    }

    private Optional<ServicesAddress> address(String typed, Binding binding) {
        Optional<ServicesAddress> address = typed.isEmpty()
                ? inEffect.ownAddress(binding) : ServicesAddress.read(typed);
        if (address.isEmpty() && !(typed.isEmpty() && binding == Binding.LOCAL)) {
            throw Refusal.invalid("The address of the services must be http://host:port.");
        }
        return address;
    }

    private Set<OrderProcessing> orders() {
        if (!settings.hasServices()) {
            return EnumSet.of(inEffect.now().orders());
        }
        return Arrays.stream(OrderProcessing.values()).filter(OrderProcessing::isOffered)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(OrderProcessing.class)));
    }
}
