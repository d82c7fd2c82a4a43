<%@ tag pageEncoding="UTF-8" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="shown" uri="urn:middlemark:shown" %>
<table>
<thead><tr><th>Item</th><th>Name</th><th class="number">In stock</th><th class="number">Price</th><th class="number">Quantity</th><th class="number">Total</th></tr></thead>
<tbody>
<c:forEach items="${requestScope.cart.lines()}" var="line"><tr><td class="item-id"><a href="/item?item_id=${shown:query(line.item().itemId())}"><c:out value="${line.item().itemId()}"/></a></td><td><c:out value="${line.item().product().name()}"/>, <c:out value="${line.item().name()}"/></td><td class="number stock">${line.inventory()}</td><td class="number">${line.item().price()}</td><td class="number">${line.quantity()}</td><td class="number">${line.total()}</td></tr>
</c:forEach></tbody>
<tfoot><tr><th colspan="5">Total</th><td class="number" id="total">${requestScope.cart.total()}</td></tr></tfoot>
</table>
