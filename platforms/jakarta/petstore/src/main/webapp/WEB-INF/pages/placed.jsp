<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="shown" uri="urn:middlemark:shown" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="Order" name="placed">
<h1>Order <span id="order-id">${order.orderId()}</span></h1>
<p>Placed on <time>${shown:time(order.orderDate())}</time></p>
<table>
<thead><tr><th class="number">Line</th><th>Item</th><th class="number">Price</th><th class="number">Quantity</th><th class="number">Total</th></tr></thead>
<tbody>
<c:forEach items="${order.lines()}" var="line"><tr><td class="number">${line.lineNumber()}</td><td class="item-id"><c:out value="${line.itemId()}"/></td><td class="number">${line.price()}</td><td class="number">${line.quantity()}</td><td class="number">${line.total()}</td></tr>
</c:forEach></tbody>
<tfoot><tr><th colspan="4">Total</th><td class="number" id="total">${order.total()}</td></tr></tfoot>
</table>
<t:address name="billing" heading="Bill to" address="${order.billing()}"/>
<t:address name="shipping" heading="Ship to" address="${order.shipping()}"/>
<section class="card" aria-labelledby="card-heading">
<h2 id="card-heading">Card</h2>
<p><c:out value="${order.card().type() += ' ' += order.card().number()}"/>, <c:out value="${order.card().expiration()}"/></p>
</section>
</t:layout>
