<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="b" uri="urn:middlemark:shown" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="Order confirmation" name="order">
<h1>Order confirmation</h1>
<section class="card narrow" aria-labelledby="order-heading">
<h2 id="order-heading">Order <span class="order-id">${order.orderId()}</span></h2>
<dl>
<div><dt>Type</dt><dd>${order.type().word()}</dd></div>
<div><dt>Status</dt><dd>${order.status().word()}</dd></div>
<div><dt>Symbol</dt><dd><c:out value="${order.symbol()}"/></dd></div>
<div><dt>Quantity</dt><dd>${order.quantity()}</dd></div>
<div><dt>Price</dt><dd>${order.price()}</dd></div>
<div><dt>Fee</dt><dd>${order.fee()}</dd></div>
<div class="total"><dt>Total</dt><dd>${order.total()}</dd></div>
<div><dt>Opened</dt><dd><time>${b:time(order.openTime())}</time></dd></div>
<div><dt>Completed</dt><dd><c:if test="${order.completionTime() != null}"><time>${b:time(order.completionTime())}</time></c:if></dd></div>
<div><dt>Holding</dt><dd class="holding-id">${order.holdingId()}</dd></div>
</dl>
</section>
<p><a href="/portfolio">To your portfolio</a></p>
</t:layout>
