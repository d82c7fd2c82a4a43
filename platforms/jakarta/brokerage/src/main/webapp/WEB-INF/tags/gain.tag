<%@ tag pageEncoding="UTF-8" trimDirectiveWhitespaces="true" %>
<%@ attribute name="amount" required="true" type="java.math.BigDecimal" %>
<td class="number${amount.signum() > 0 ? ' gain' : amount.signum() < 0 ? ' loss' : ''}">${amount}</td>
