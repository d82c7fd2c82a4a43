package org.middlemark.brokerage.operations;

import java.math.BigDecimal;
import java.util.List;

/** What the operations are asked. A value that a client has not sent is null. */
public sealed interface Request {

    /** Throws a Refusal when a value is missing or outside its limits. */
    void check();

    record Nothing() implements Request {
        @Override
        public void check() {
            // There is nothing to check.
        }
    }

    record User(String userId) implements Request {
        @Override
        public void check() {
            Limits.userId(userId);
        }
    }

    record Login(String userId, String password) implements Request {
        @Override
        public void check() {
            Limits.userId(userId);
            Limits.password(password);
        }
    }

    record Registration(String userId, String password, String fullName, String address, String email, String creditCard,
            BigDecimal openBalance) implements Request {
        @Override
        public void check() {
            Limits.userId(userId);
            Limits.password(password);
            Limits.profile(fullName, address, email, creditCard);
            Limits.openBalance(openBalance);
        }
    }

    /** An empty password leaves it as it is. */
    record ProfileUpdate(String userId, String fullName, String address, String email, String creditCard, String password)
            implements Request {
        @Override
        public void check() {
            Limits.userId(userId);
            Limits.profile(fullName, address, email, creditCard);
            Limits.newPassword(password);
        }
    }

    record UserHolding(String userId, Long holdingId) implements Request {
        @Override
        public void check() {
            Limits.userId(userId);
            Limits.holdingId(holdingId);
        }
    }

    record LastOrders(String userId, Long limit) implements Request {
        @Override
        public void check() {
            Limits.userId(userId);
            Limits.limit(limit);
        }
    }

    record OneSymbol(String symbol) implements Request {
        @Override
        public void check() {
            Limits.symbol(symbol);
        }
    }

    record Symbols(List<String> symbols) implements Request {
        @Override
        public void check() {
            Limits.symbols(symbols);
        }
    }

    record Purchase(String userId, String symbol, Long quantity) implements Request {
        @Override
        public void check() {
            Limits.userId(userId);
            Limits.symbol(symbol);
            Limits.quantity(quantity);
        }
    }
}
