package org.middlemark.brokerage.messages;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Code;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.domain.MarketSummary;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.brokerage.domain.Refusal;

/** The operations with the messages that SOAP and JSON exchange for them. */
public enum Operation {
    PING("ping", Requests.Nothing.class, Answers.Nothing.class),
    LOGIN("login", Requests.Login.class, Account.class),
    LOGOUT("logout", Requests.User.class, Answers.Nothing.class),
    REGISTER("register", Requests.Registration.class, Account.class),
    GET_ACCOUNT("getAccount", Requests.User.class, Account.class),
    GET_PROFILE("getProfile", Requests.User.class, Profile.class),
    UPDATE_PROFILE("updateProfile", Requests.ProfileUpdate.class, Profile.class),
    GET_HOLDINGS("getHoldings", Requests.User.class, Answers.Holdings.class),
    GET_HOLDING("getHolding", Requests.UserHolding.class, Holding.class),
    GET_ORDERS("getOrders", Requests.Newest.class, Answers.Orders.class),
    GET_CLOSED_ORDERS("getClosedOrders", Requests.User.class, Answers.Orders.class),
    GET_QUOTE("getQuote", Requests.Symbol.class, Quote.class),
    GET_QUOTES("getQuotes", Requests.Symbols.class, Answers.Quotes.class),
    GET_MARKET_SUMMARY("getMarketSummary", Requests.Nothing.class, MarketSummary.class),
    BUY("buy", Requests.Buy.class, Answers.Order.class),
    SELL("sell", Requests.UserHolding.class, Answers.Order.class);

    private static final Map<String, Operation> BY_NAME =
            Arrays.stream(values())
                    .collect(Collectors.toUnmodifiableMap(Operation::operationName, Function.identity()));

    private final String operationName;
    private final Class<? extends Record> request;
    private final Class<? extends Record> answer;

    Operation(String operationName, Class<? extends Record> request, Class<? extends Record> answer) {
        this.operationName = operationName;
        this.request = request;
        this.answer = answer;
    }

    /** Finds an operation by {@link #operationName()}. */
    public static Optional<Operation> of(String name) {
        return Optional.ofNullable(BY_NAME.get(name));
    }

    /** Says that there is no such operation. */
    public static Refusal unknown(String name) {
        return new Refusal(Code.UNKNOWN_OPERATION, "There is no operation " + name + ".");
    }

    public String operationName() {
        return operationName;
    }

    public Class<? extends Record> request() {
        return request;
    }

    public Class<? extends Record> answer() {
        return answer;
    }
}
