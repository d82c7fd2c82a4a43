<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="shown" uri="urn:middlemark:shown" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="${found.product().name()}" name="product">
<h1><c:out value="${found.product().name()}"/></h1>
<p><c:out value="${found.product().description()}"/></p>
<table>
<thead><tr><th>Item</th><th>Name</th><th class="number">Price</th></tr></thead>
<tbody>
<c:forEach items="${found.items()}" var="item"><tr><td class="item-id"><a href="/item?item_id=${shown:query(item.itemId())}"><c:out value="${item.itemId()}"/></a></td><td><c:out value="${item.name()}"/></td><td class="number">${item.price()}</td></tr>
</c:forEach></tbody>
</table>
</t:layout>
