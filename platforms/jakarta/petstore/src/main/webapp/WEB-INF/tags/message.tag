<%@ tag pageEncoding="UTF-8" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<c:if test="${requestScope.message != null}"><p id="message" role="status"><c:out value="${requestScope.message}"/></p>
</c:if>
