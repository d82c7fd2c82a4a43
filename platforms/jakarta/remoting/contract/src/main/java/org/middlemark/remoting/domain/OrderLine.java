package org.middlemark.remoting.domain;

import java.io.Serializable;

/** A product of an order. The discount is from 0 to 1. */
public record OrderLine(int productId, double unitPrice, int quantity, double discount) implements Serializable {
}
