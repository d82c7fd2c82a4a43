<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="b" uri="urn:middlemark:shown" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="Quotes" name="quotes">
<t:alerts/>
<h1>Quotes</h1>
<form class="search" action="/quotes" method="get">
<label for="symbols">Symbols</label>
<input id="symbols" name="symbols" value="<c:out value="${symbols}"/>" required>
<button>Show</button>
</form>
<c:if test="${not empty unknown}"><p id="unknown" role="status">Unknown symbols: <c:out value="${unknown}"/></p>
</c:if>
<c:if test="${not empty quotes}"><section class="card" aria-label="Quotes">
<div class="scroll" role="region" aria-label="Quotes" tabindex="0">
<table>
<thead>
<tr><th scope="col">Symbol</th><th scope="col" class="company">Company</th><th scope="col" class="number">Price</th><th scope="col" class="number">Change</th><th scope="col" class="number">Open</th><th scope="col" class="number">Low</th><th scope="col" class="number">High</th><th scope="col" class="number">Volume</th><th scope="col">Buy</th></tr>
</thead>
<tbody>
<c:forEach items="${quotes}" var="quote"><tr><td><c:out value="${quote.symbol()}"/></td><td class="company"><c:out value="${quote.company()}"/></td><td class="number">${quote.price()}</td><t:change amount="${quote.change()}"/><td class="number">${quote.open()}</td><td class="number">${quote.low()}</td><td class="number">${quote.high()}</td><td class="number">${quote.volume()}</td><td><form class="buy" action="/buy" method="post"><input type="hidden" name="symbol" value="<c:out value="${quote.symbol()}"/>"><label>Quantity <input name="quantity" type="number" value="100" min="1" max="1000000" required></label> <button>Buy</button></form></td></tr>
</c:forEach></tbody>
</table>
</div>
</section></c:if>
</t:layout>
