<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="b" uri="urn:middlemark:shown" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="Portfolio" name="portfolio">
<t:alerts/>
<h1>Portfolio</h1>
<c:choose>
<c:when test="${empty holdings}"><p>You have no holdings. <a href="/quotes">Look at quotes</a> to buy some.</p></c:when>
<c:otherwise><section class="card" id="holdings" aria-labelledby="holdings-heading">
<h2 id="holdings-heading">Your holdings</h2>
<div class="scroll" role="region" aria-labelledby="holdings-heading" tabindex="0">
<table>
<thead>
<tr><th scope="col" class="number">Holding</th><th scope="col">Symbol</th><th scope="col" class="number">Quantity</th><th scope="col">Bought</th><th scope="col" class="number">Purchase price</th><th scope="col" class="number">Price now</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Value</th><th scope="col" class="number">Gain or loss</th><th scope="col">Sell</th></tr>
</thead>
<tbody>
<c:forEach items="${holdings}" var="holding"><tr><td class="number holding-id">${holding.holdingId()}</td><td><t:symbol symbol="${holding.symbol()}"/></td><td class="number">${holding.quantity()}</td><td><time>${b:time(holding.purchaseTime())}</time></td><td class="number">${holding.purchasePrice()}</td><td class="number">${holding.price()}</td><td class="number">${holding.cost()}</td><td class="number">${holding.value()}</td><t:gain amount="${holding.gain()}"/><td><c:choose><c:when test="${holding.beingSold()}">being sold</c:when><c:otherwise><form action="/sell" method="post"><input type="hidden" name="holding_id" value="${holding.holdingId()}"><button class="plain">Sell</button></form></c:otherwise></c:choose></td></tr>
</c:forEach></tbody>
<tfoot>
<tr><th scope="row" colspan="6">Total</th><td class="number">${cost}</td><td class="number">${value}</td><t:gain amount="${gain}"/><td></td></tr>
</tfoot>
</table>
</div>
</section></c:otherwise>
</c:choose>
</t:layout>
