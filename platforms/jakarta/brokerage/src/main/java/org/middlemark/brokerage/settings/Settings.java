package org.middlemark.brokerage.settings;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.middlemark.settings.DataAccess;
import org.middlemark.settings.DatabaseAddress;
import org.middlemark.settings.ServicesAddress;
import org.middlemark.settings.Variables;
import org.middlemark.settings.WrongSetting;

/**
 * What the operator has chosen for this process (specs/brokerage/README.md, "Settings"), read once at the start.
 *
 * @param everything whether the role is {@code all}: such a process becomes a processor when orders become async-queue
 * @param database nothing in a process that needs no database
 * @param servicesUrl nothing when the process calls its own services
 */
public record Settings(Set<Role> roles, boolean everything, Listening listening, Optional<DatabaseAddress> database,
        int databasePool, DataAccess dataAccess, OrderProcessing orders, Processor processor, Binding binding,
        Optional<ServicesAddress> servicesUrl, int servicesConnections, int marketSummarySeconds, int sessionSeconds,
        boolean configPage) {

    /** Where the process listens; gRPC is not offered without a port of its own. */
    public record Listening(String host, int port, OptionalInt grpcPort) {
    }

    /** How a processor works. */
    public record Processor(int batch, int concurrency, int seconds, int timeoutSeconds) {
    }

    private static final String ALL = "all";

    /** Reads the variables; {@link WrongSetting} for the first that is wrong. */
    public static Settings read(Map<String, String> environment) {
        Variables variables = new Variables(environment);
        OrderProcessing orders = variables.choice("MM_ORDERS", OrderProcessing.values(), OrderProcessing::word,
                OrderProcessing.SYNC);
        Set<Role> roles = roles(variables, orders);
        Binding binding = variables.choice("MM_BINDING", Binding.values(), Binding::word, Binding.LOCAL);
        Listening listening = new Listening(variables.text("MM_HOST", "127.0.0.1"), variables.port("MM_PORT", 8080),
                variables.port("MM_GRPC_PORT"));
        return new Settings(roles, everything(variables), listening, database(variables, roles, binding),
                variables.number("MM_DATABASE_POOL", 20, 1),
                variables.choice("MM_DATA_ACCESS", DataAccess.values(), DataAccess::word, DataAccess.JDBC), orders,
                processor(variables), binding, servicesUrl(variables, roles, binding, listening),
                variables.number("MM_SERVICES_CONNECTIONS", 64, 1),
                variables.number("MM_MARKET_SUMMARY_SECONDS", 60, 0),
                variables.number("MM_SESSION_SECONDS", 300, 1), configPage(variables));
    }

    /** Whether the business services run in this process. */
    public boolean hasServices() {
        return needsDatabase(roles, binding);
    }

    /** How orders may be processed from now on: the server's queue is there from the start or never. */
    public Set<OrderProcessing> changeableOrders() {
        EnumSet<OrderProcessing> queue = EnumSet.of(OrderProcessing.ASYNC_XA);
        return queue.contains(orders) ? queue : EnumSet.complementOf(queue);
    }

    /** The most orders that are completed in one transaction; the server's queue delivers one at a time. */
    public int ordersInTransaction() {
        return orders == OrderProcessing.ASYNC_XA ? 1 : processor.batch();
    }

    /** Whether this process offers its services to others. */
    public boolean offersServices() {
        return roles.contains(Role.SERVICES);
    }

    private static Set<Role> roles(Variables variables, OrderProcessing orders) {
        Set<Role> roles = EnumSet.noneOf(Role.class);
        String value = variables.text("MM_ROLE", ALL);
        for (String word : value.split(",", -1)) {
            if (ALL.equals(word)) {
                roles.addAll(orders.hasProcessor() ? EnumSet.allOf(Role.class) : EnumSet.of(Role.WEB, Role.SERVICES));
            } else {
                roles.add(role(word, value));
            }
        }
        if (roles.contains(Role.PROCESSOR) && !orders.hasProcessor()) {
            throw new WrongSetting("MM_ROLE", value, "processor only with MM_ORDERS=async-queue");
        }
        return roles;
    }

    private static boolean everything(Variables variables) {
        return List.of(variables.text("MM_ROLE", ALL).split(",", -1)).contains(ALL);
    }

    private static Role role(String word, String value) {
        for (Role role : Role.values()) {
            if (role.word().equals(word)) {
                return role;
            }
        }
        throw new WrongSetting("MM_ROLE", value, "a comma list of all, " + Variables.words(Role.values(), Role::word));
    }

    private static Optional<DatabaseAddress> database(Variables variables, Set<Role> roles, Binding binding) {
        if (!needsDatabase(roles, binding)) {
            return Optional.empty();
        }
        return Optional.of(DatabaseAddress.read("MM_DATABASE_URL", variables.text("MM_DATABASE_URL", "")));
    }

    private static boolean needsDatabase(Set<Role> roles, Binding binding) {
        return binding == Binding.LOCAL || !roles.equals(EnumSet.of(Role.WEB));
    }

    private static Processor processor(Variables variables) {
        return new Processor(variables.number("MM_PROCESSOR_BATCH", 5, 1),
                variables.number("MM_PROCESSOR_CONCURRENCY", 15, 1), variables.number("MM_PROCESSOR_SECONDS", 1, 1),
                variables.number("MM_PROCESSOR_TIMEOUT_SECONDS", 15, 1));
    }

    private static Optional<ServicesAddress> servicesUrl(Variables variables, Set<Role> roles, Binding binding,
            Listening listening) {
        String value = variables.text("MM_SERVICES_URL", "");
        if (!value.isEmpty()) {
            return Optional.of(ServicesAddress.read(value)
                    .orElseThrow(() -> new WrongSetting("MM_SERVICES_URL", value, "http://host:port")));
        }
        if (binding != Binding.LOCAL && roles.contains(Role.WEB) && !roles.contains(Role.SERVICES)) {
            throw new WrongSetting("MM_SERVICES_URL", value,
                    "http://host:port, needed with MM_BINDING=" + binding.word());
        }
        if (binding == Binding.GRPC && roles.contains(Role.WEB) && listening.grpcPort().isEmpty()) {
            throw new WrongSetting("MM_GRPC_PORT", value,
                    "1 to 65535, needed to call the own services with MM_BINDING=grpc");
        }
        return Optional.empty();
    }

    private static boolean configPage(Variables variables) {
        String value = variables.text("MM_CONFIG_PAGE", "off");
        if (!"on".equals(value) && !"off".equals(value)) {
            throw new WrongSetting("MM_CONFIG_PAGE", value, "on, off");
        }
        return "on".equals(value);
    }
}
