package org.middlemark.remoting.domain;

import java.util.Arrays;
import java.util.Optional;

/** An operation by its name. {@link #word()} is its name in addresses and in messages. */
public enum Operation {
    PING("ping"),
    STORE_ORDER("storeOrder"),
    STORE_ORDER_TABLES("storeOrderTables"),
    LOAD_PRODUCTS("loadProducts"),
    LOAD_PRODUCTS_TABLES("loadProductsTables"),
    LOAD_PRODUCTS_CONVERTED("loadProductsConverted"),
    LOAD_CUSTOMER("loadCustomer"),
    LOAD_CUSTOMER_TABLES("loadCustomerTables");

    private final String word;

    Operation(String word) {
        this.word = word;
    }

    public String word() {
        return word;
    }

    /** The operation of a name; nothing for any other text. */
    public static Optional<Operation> of(String word) {
        return Arrays.stream(values()).filter(operation -> operation.word.equals(word)).findFirst();
    }
}
