<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="b" uri="urn:middlemark:brokerage:shown" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="Error" name="error">
<h1>${heading}</h1>
<t:message/>
<c:choose>
<c:when test="${user != null}"><p><a href="/home">Back to your home page</a></p></c:when>
<c:otherwise><p><a href="/">Back to the welcome page</a></p></c:otherwise>
</c:choose>
</t:layout>
