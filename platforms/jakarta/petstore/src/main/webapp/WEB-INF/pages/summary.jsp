<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="Checkout" name="summary">
<h1>Checkout</h1>
<t:lines/>
<p><a href="/checkout/billing">To billing and shipping</a></p>
</t:layout>
