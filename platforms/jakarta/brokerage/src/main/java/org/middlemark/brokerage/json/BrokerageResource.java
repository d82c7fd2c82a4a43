package org.middlemark.brokerage.json;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.domain.MarketSummary;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.brokerage.services.BrokerageServices;

/** The operations over JSON (specs/brokerage/openapi.yaml). */
@Path("/")
@ApplicationScoped
@Consumes(MediaType.APPLICATION_JSON)
@Produces(MediaType.APPLICATION_JSON)
public class BrokerageResource {
    @Inject
    private BrokerageServices services;

    @POST
    @Path("ping")
    public Answers.Nothing ping(Requests.Nothing request) {
        services.ping();
        return new Answers.Nothing();
    }

    @POST
    @Path("login")
    public Account login(Requests.Login request) {
        return services.login(request.userId(), request.password());
    }

    @POST
    @Path("logout")
    public Answers.Nothing logout(Requests.User request) {
        services.logout(request.userId());
        return new Answers.Nothing();
    }

    @POST
    @Path("register")
    public Account register(Requests.Registration request) {
        return services.register(request.registration());
    }

    @POST
    @Path("getAccount")
    public Account getAccount(Requests.User request) {
        return services.getAccount(request.userId());
    }

    @POST
    @Path("getProfile")
    public Profile getProfile(Requests.User request) {
        return services.getProfile(request.userId());
    }

    @POST
    @Path("updateProfile")
    public Profile updateProfile(Requests.ProfileUpdate request) {
        return services.updateProfile(request.profile(), request.password());
    }

    @POST
    @Path("getHoldings")
    public Answers.Holdings getHoldings(Requests.User request) {
        return new Answers.Holdings(services.getHoldings(request.userId()));
    }

    @POST
    @Path("getHolding")
    public Holding getHolding(Requests.UserHolding request) {
        return services.getHolding(request.userId(), request.holdingId());
    }

    @POST
    @Path("getOrders")
    public Answers.Orders getOrders(Requests.Newest request) {
        return Answers.Orders.of(services.getOrders(request.userId(), request.limit()));
    }

    @POST
    @Path("getClosedOrders")
    public Answers.Orders getClosedOrders(Requests.User request) {
        return Answers.Orders.of(services.getClosedOrders(request.userId()));
    }

    @POST
    @Path("getQuote")
    public Quote getQuote(Requests.Symbol request) {
        return services.getQuote(request.symbol());
    }

    @POST
    @Path("getQuotes")
    public Answers.Quotes getQuotes(Requests.Symbols request) {
        return new Answers.Quotes(services.getQuotes(request.symbols()));
    }

    @POST
    @Path("getMarketSummary")
    public MarketSummary getMarketSummary(Requests.Nothing request) {
        return services.getMarketSummary();
    }

    @POST
    @Path("buy")
    public Answers.Order buy(Requests.Buy request) {
        return Answers.Order.of(services.buy(request.userId(), request.symbol(), request.quantity()));
    }

    @POST
    @Path("sell")
    public Answers.Order sell(Requests.UserHolding request) {
        return Answers.Order.of(services.sell(request.userId(), request.holdingId()));
    }
}
