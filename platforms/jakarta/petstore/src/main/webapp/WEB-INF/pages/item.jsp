<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="shown" uri="urn:middlemark:shown" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<c:set var="item" value="${stocked.item()}"/>
<t:layout title="${item.product().name()}" name="item">
<h1><c:out value="${item.product().name()}"/></h1>
<section class="card" aria-labelledby="item-heading">
<h2 id="item-heading"><c:out value="${item.name()}"/></h2>
<p><c:out value="${item.product().description()}"/></p>
<dl>
<div><dt>Item</dt><dd id="item-id"><c:out value="${item.itemId()}"/></dd></div>
<div><dt>Price</dt><dd id="price">${item.price()}</dd></div>
<div><dt>In stock</dt><dd id="inventory">${stocked.inventory()}</dd></div>
</dl>
<form action="/cart" method="post">
<input type="hidden" name="item_id" value="<c:out value="${item.itemId()}"/>">
<button>Add to cart</button>
</form>
</section>
</t:layout>
