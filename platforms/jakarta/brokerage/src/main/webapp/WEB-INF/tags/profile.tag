<%@ tag pageEncoding="UTF-8" trimDirectiveWhitespaces="true" %>
<%@ attribute name="fullName" required="true" %>
<%@ attribute name="address" required="true" %>
<%@ attribute name="email" required="true" %>
<%@ attribute name="creditCard" required="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<p><label for="full_name">Full name</label> <input id="full_name" name="full_name" value="<c:out value="${fullName}"/>" maxlength="100" required autocomplete="name"></p>
<p><label for="address">Address</label> <input id="address" name="address" value="<c:out value="${address}"/>" maxlength="200" autocomplete="street-address"></p>
<p><label for="email">Email</label> <input id="email" name="email" value="<c:out value="${email}"/>" maxlength="100" autocomplete="email"></p>
<p><label for="credit_card">Credit card</label> <input id="credit_card" name="credit_card" value="<c:out value="${creditCard}"/>" maxlength="40" autocomplete="cc-number"></p>
