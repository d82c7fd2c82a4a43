package org.middlemark.brokerage.web;

import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.middlemark.brokerage.services.SettingsInEffect;
import org.middlemark.brokerage.settings.Binding;
import org.middlemark.brokerage.settings.OrderProcessing;
import org.middlemark.brokerage.settings.Settings;
import org.middlemark.pages.Page;
import org.middlemark.refusals.Refusal;
import org.middlemark.settings.ServicesAddress;
import org.middlemark.values.WholeNumber;

/** The settings that can change at run time; an address that does not exist where they must not. */
@WebServlet("/config")
public class ConfigPage extends Page {
    private final ServicesInReach services;
    private final Settings settings;
    private final SettingsInEffect inEffect;

    @Inject
    public ConfigPage(ServicesInReach services, Settings settings, SettingsInEffect inEffect) {
        this.services = services;
        this.settings = settings;
        this.inEffect = inEffect;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        if (settings.configPage()) {
            super.service(request, response);
        } else {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        SettingsInEffect.Changeable now = inEffect.now();
        request.setAttribute("binding", now.binding().word());
        request.setAttribute("ordering", now.orders().word());
        request.setAttribute("servicesUrl", now.servicesUrl().map(Object::toString).orElse(""));
        request.setAttribute("marketSummarySeconds", now.marketSummarySeconds());
        addOffered(request);
        show("config", request, response);
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        try {
            inEffect.change(typed(request));
            redirect("/config", response);
        } catch (Refusal refusal) {
            request.setAttribute("binding", value(request, "binding"));
            request.setAttribute("ordering", value(request, "orders"));
            request.setAttribute("servicesUrl", value(request, "services_url"));
            request.setAttribute("marketSummarySeconds", value(request, "market_summary_seconds"));
            addOffered(request);
            showAgain(refusal, "config", request, response);
        }
    }

    /** What the process can take: the words of the settings that are not disabled. */
    private void addOffered(HttpServletRequest request) {
        request.setAttribute("bindings", Binding.values());
        request.setAttribute("offeredBindings",
                services.bindings().stream().map(Binding::word).collect(Collectors.toSet()));
        request.setAttribute("processings", OrderProcessing.values());
        request.setAttribute("offeredProcessings",
                orders().stream().map(OrderProcessing::word).collect(Collectors.toSet()));
    }

    private SettingsInEffect.Changeable typed(HttpServletRequest request) {
        OptionalLong seconds = WholeNumber.typed(value(request, "market_summary_seconds"));
        if (seconds.isEmpty() || seconds.getAsLong() > Integer.MAX_VALUE) {
            throw Refusal.invalid("The age of the market summary must be a whole number of seconds.");
        }
        Binding binding = binding(value(request, "binding"));
        OrderProcessing orders = orders(value(request, "orders"));
        return new SettingsInEffect.Changeable(binding, address(value(request, "services_url"), binding), orders,
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
        return settings.changeableOrders();
    }
}
