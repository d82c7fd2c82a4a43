<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="Billing and shipping" name="billing">
<h1>Billing and shipping</h1>
<t:message/>
<t:address name="billing" heading="Bill to" address="${billing.address()}"/>
<t:address name="shipping" heading="Ship to" address="${customer.profile()}"/>
<form class="card" action="/checkout/confirm" method="post">
<h2>Card</h2>
<p><label for="card_type">Type</label> <input id="card_type" name="card_type" value="<c:out value="${card.type()}"/>" maxlength="100" required></p>
<p><label for="card_number">Number</label> <input id="card_number" name="card_number" value="<c:out value="${card.number()}"/>" maxlength="40" required></p>
<p><label for="card_expiration">Expiration</label> <input id="card_expiration" name="card_expiration" value="<c:out value="${card.expiration()}"/>" maxlength="10" required></p>
<p><button>Continue</button></p>
</form>
</t:layout>
