package org.middlemark.remoting.domain;

import java.io.Serializable;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.List;

/** An order as a client sends it. The service chooses its id. */
public record Order(String customerId, int employeeId, LocalDateTime orderDate, Address shipping, Address billing,
        int shipVia, BigDecimal freight, List<OrderLine> lines) implements Serializable {
    private static final int REQUIRED_DAYS = 10;
    private static final int SHIPPED_DAYS = 5;

    public LocalDateTime requiredDate() {
        return orderDate.plusDays(REQUIRED_DAYS);
    }

    public LocalDateTime shippedDate() {
        return orderDate.plusDays(SHIPPED_DAYS);
    }

    /** The same order of another employee. */
    public Order ofEmployee(int employee) {
        return new Order(customerId, employee, orderDate, shipping, billing, shipVia, freight, lines);
    }
}
