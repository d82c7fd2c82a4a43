<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="b" uri="urn:middlemark:shown" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="Account" name="account">
<t:alerts/>
<h1>Account</h1>
<t:message/>
<div class="columns">
<section class="card" aria-labelledby="account-heading">
<h2 id="account-heading">Your account</h2>
<dl>
<div><dt>Account</dt><dd id="account-id">${account.accountId()}</dd></div>
<div><dt>User id</dt><dd><c:out value="${account.userId()}"/></dd></div>
<div><dt>Created</dt><dd><time id="creation-time">${b:time(account.creationTime())}</time></dd></div>
<div><dt>Last login</dt><dd><time id="last-login">${b:time(account.lastLogin())}</time></dd></div>
<div><dt>Logins</dt><dd>${account.loginCount()}</dd></div>
<div><dt>Logouts</dt><dd>${account.logoutCount()}</dd></div>
<div><dt>Opening balance</dt><dd>${account.openBalance()}</dd></div>
<div class="total"><dt>Balance</dt><dd>${account.balance()}</dd></div>
</dl>
</section>
<section class="card" aria-labelledby="profile-heading">
<h2 id="profile-heading">Your profile</h2>
<form action="/account" method="post">
<t:profile fullName="${profile.fullName()}" address="${profile.address()}" email="${profile.email()}" creditCard="${profile.creditCard()}"/>
<p><label for="password">New password (empty: unchanged)</label> <input id="password" name="password" type="password" maxlength="50" autocomplete="new-password"></p>
<p><button>Save</button></p>
</form>
</section>
</div>
<section class="card" id="orders" aria-labelledby="orders-heading">
<h2 id="orders-heading">Recent orders</h2>
<c:choose>
<c:when test="${empty orders}"><p>You have no orders yet.</p>
</c:when>
<c:otherwise><div class="scroll" role="region" aria-labelledby="orders-heading" tabindex="0">
<table>
<thead>
<tr><th scope="col" class="number">Order</th><th scope="col">Type</th><th scope="col">Status</th><th scope="col">Symbol</th><th scope="col" class="number">Quantity</th><th scope="col" class="number">Price</th><th scope="col" class="number">Fee</th><th scope="col" class="number">Total</th><th scope="col">Opened</th><th scope="col">Completed</th><th scope="col" class="number">Holding</th></tr>
</thead>
<tbody>
<c:forEach items="${orders}" var="order"><tr><td class="number order-id">${order.orderId()}</td><td>${order.type().word()}</td><td>${order.status().word()}</td><td><t:symbol symbol="${order.symbol()}"/></td><td class="number">${order.quantity()}</td><td class="number">${order.price()}</td><td class="number">${order.fee()}</td><td class="number">${order.total()}</td><td><time>${b:time(order.openTime())}</time></td><td><c:if test="${order.completionTime() != null}"><time>${b:time(order.completionTime())}</time></c:if></td><td class="number holding-id">${order.holdingId()}</td></tr>
</c:forEach></tbody>
</table>
</div>
</c:otherwise>
</c:choose>
<c:choose>
<c:when test="${all}"><p><a href="/account">Show only the last orders</a></p></c:when>
<c:otherwise><p><a href="/account?orders=all">Show all orders</a></p></c:otherwise>
</c:choose>
</section>
</t:layout>
