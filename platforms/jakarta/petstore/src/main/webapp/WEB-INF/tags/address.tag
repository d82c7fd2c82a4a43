<%@ tag pageEncoding="UTF-8" trimDirectiveWhitespaces="true" %>
<%@ attribute name="name" required="true" %>
<%@ attribute name="heading" required="true" %>
<%@ attribute name="address" required="true" type="org.middlemark.petstore.domain.Address" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<section class="card" aria-labelledby="${name}-heading">
<h2 id="${name}-heading">${heading}</h2>
<p><c:out value="${address.firstName() += ' ' += address.lastName()}"/><br><c:out value="${address.address1()}"/><br><c:if test="${not empty address.address2()}"><c:out value="${address.address2()}"/><br></c:if><c:out value="${address.city()}"/>, <c:out value="${address.state() += ' ' += address.zip()}"/><br><c:out value="${address.country()}"/><br><c:out value="${address.phone()}"/></p>
</section>
