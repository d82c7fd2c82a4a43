<%@ tag pageEncoding="UTF-8" trimDirectiveWhitespaces="true" %>
<%@ attribute name="symbol" required="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="b" uri="urn:middlemark:shown" %>
<a href="/quotes?symbols=${b:query(symbol)}"><c:out value="${symbol}"/></a>
