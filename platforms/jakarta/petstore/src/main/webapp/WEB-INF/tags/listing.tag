<%@ tag pageEncoding="UTF-8" trimDirectiveWhitespaces="true" %>
<%@ attribute name="listing" required="true" type="org.middlemark.petstore.domain.Listing" %>
<%@ attribute name="address" required="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="shown" uri="urn:middlemark:shown" %>
<c:choose>
<c:when test="${empty listing.products()}"><p>No product.</p></c:when>
<c:otherwise><table>
<thead><tr><th>Product</th><th>Description</th></tr></thead>
<tbody>
<c:forEach items="${listing.products()}" var="product"><tr><td class="product"><a href="/product?product_id=${shown:query(product.productId())}"><c:out value="${product.name()}"/></a></td><td><c:out value="${product.description()}"/></td></tr>
</c:forEach></tbody>
</table></c:otherwise>
</c:choose>
<c:if test="${listing.hasNext()}"><p><a id="next" href="<c:out value="${address += '&page=' += (listing.number() + 1)}"/>">Next</a></p>
</c:if>
