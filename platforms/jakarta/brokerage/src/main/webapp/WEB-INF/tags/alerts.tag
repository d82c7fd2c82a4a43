<%@ tag pageEncoding="UTF-8" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="b" uri="urn:middlemark:shown" %>
<c:if test="${not empty requestScope.alerts}"><section id="alerts" aria-labelledby="alerts-heading">
<h2 id="alerts-heading">Completed orders</h2>
<ul>
<c:forEach items="${requestScope.alerts}" var="alert"><li>Order <span class="order-id">${alert.orderId()}</span> to ${alert.type().word() += ' ' += alert.quantity()} of <c:out value="${alert.symbol()}"/> at ${alert.price()} was completed at <time>${b:time(alert.completionTime())}</time>.</li>
</c:forEach></ul>
</section>
</c:if>
