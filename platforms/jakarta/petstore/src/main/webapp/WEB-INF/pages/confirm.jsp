<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="Confirm your order" name="confirm">
<h1>Confirm your order</h1>
<t:address name="billing" heading="Bill to" address="${confirmation.billing()}"/>
<t:address name="shipping" heading="Ship to" address="${confirmation.shipping()}"/>
<section class="card" aria-labelledby="card-heading">
<h2 id="card-heading">Card</h2>
<dl>
<div><dt>Type</dt><dd><c:out value="${confirmation.card().type()}"/></dd></div>
<div><dt>Number</dt><dd><c:out value="${confirmation.card().number()}"/></dd></div>
<div><dt>Expiration</dt><dd><c:out value="${confirmation.card().expiration()}"/></dd></div>
</dl>
</section>
<form action="/order" method="post">
<input type="hidden" name="order_key" value="${confirmation.orderKey()}">
<button>Place the order</button>
</form>
</t:layout>
