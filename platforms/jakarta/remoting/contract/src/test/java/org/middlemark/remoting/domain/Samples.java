package org.middlemark.remoting.domain;

import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.List;
import org.middlemark.remoting.domain.TableSet.Column;
import org.middlemark.remoting.domain.TableSet.Table;

/** Objects whose texts a codec can get wrong. */
public final class Samples {
    public static final String TEXT = "<a href=\"x\">&amp; 木 🚢</a> ]]> back\\slash 'single'";

    public static final Order ORDER = new Order("C0017", 5, LocalDateTime.of(2005, 2, 14, 0, 0),
            new Address("Harbour Lines", TEXT, "Bergen", "", "05003", "Norway"),
            new Address("Accounting", "17 Oak Street", "Bergen", "Vestland", "05003", "Norway"), 3,
            new BigDecimal("32.38"), List.of(new OrderLine(1, 4.5, 1, 0), new OrderLine(4, 11.85, 8, 0.05)));

    public static final Product PRODUCT = new Product(1, TEXT, 1, 2, "10 boxes x 20 bags", new BigDecimal("18.00"), 39,
            0, 10, true);

    public static final Customer CUSTOMER = new Customer("C0004", TEXT, "Maria Anders", "Owner", "1 Oak Street",
            "Bergen", "", "05003", "Norway", "(10) 555-0001", "(10) 556-0001");

    public static final TableSet TABLES = TableSet.of(new Table("customers",
            List.of(new Column("customer_id", "string"), new Column("region", "string")),
            List.of(Arrays.asList(TEXT, null), List.of("", "Region 4"))));

    private Samples() {
    }
}
