<%@ tag pageEncoding="UTF-8" trimDirectiveWhitespaces="true" %>
<%@ attribute name="amount" required="true" type="java.math.BigDecimal" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<c:choose>
<c:when test="${amount.signum() > 0}"><td class="number gain"><img src="/images/up.svg" alt="up" width="12" height="12"> ${amount}</td></c:when>
<c:when test="${amount.signum() < 0}"><td class="number loss"><img src="/images/down.svg" alt="down" width="12" height="12"> ${amount}</td></c:when>
<c:otherwise><td class="number level"><img src="/images/level.svg" alt="level" width="12" height="12"> ${amount}</td></c:otherwise>
</c:choose>
