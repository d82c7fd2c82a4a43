package org.middlemark.remoting.domain;

import java.io.Serializable;
import java.math.BigDecimal;

/** A product. */
public record Product(int productId, String name, int supplierId, int categoryId, String quantityPerUnit,
        BigDecimal unitPrice, int unitsInStock, int unitsOnOrder, int reorderLevel, boolean discontinued)
        implements Serializable {
}
