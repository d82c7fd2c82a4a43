<%@ tag pageEncoding="UTF-8" trimDirectiveWhitespaces="true" %>
<%@ attribute name="heading" required="true" %>
<%@ attribute name="quotes" required="true" type="java.util.List" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<h3>${heading}</h3>
<table>
<thead>
<tr><th scope="col">Symbol</th><th scope="col" class="number">Price</th><th scope="col" class="number">Change</th></tr>
</thead>
<tbody>
<c:forEach items="${quotes}" var="quote"><tr><td><t:symbol symbol="${quote.symbol()}"/></td><td class="number">${quote.price()}</td><t:change amount="${quote.change()}"/></tr>
</c:forEach></tbody>
</table>
