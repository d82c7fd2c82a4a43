<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="Order status" name="remote-order">
<h1>Order status</h1>
<form class="card" action="/remote-order" method="get">
<p><label for="order_id">Order</label> <input id="order_id" name="order_id" value="${orderId}" required> <button>Look up</button></p>
</form>
<c:if test="${orderUser != null}"><p>Order ${orderId} is of user <strong id="order-user"><c:out value="${orderUser}"/></strong>.</p>
</c:if>
</t:layout>
