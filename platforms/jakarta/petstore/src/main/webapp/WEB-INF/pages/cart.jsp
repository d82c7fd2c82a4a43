<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="Cart" name="cart">
<h1>Cart</h1>
<c:choose>
<c:when test="${empty cart.lines()}"><p>The cart is empty.</p></c:when>
<c:otherwise><t:lines/>
<p><a href="/checkout">Check out</a></p></c:otherwise>
</c:choose>
</t:layout>
