<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="b" uri="urn:middlemark:shown" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<c:set var="status" value="${requestScope['jakarta.servlet.error.status_code']}"/>
<c:choose>
<c:when test="${message != null}"><%-- a refusal has said why --%></c:when>
<c:when test="${status == 404}"><c:set var="message" scope="request" value="There is no page ${b:path(requestScope['jakarta.servlet.error.request_uri'])}."/></c:when>
<c:when test="${status >= 500}"><c:set var="message" scope="request" value="Something went wrong. The details are in the log."/></c:when>
</c:choose>
<t:layout title="Error" name="error">
<h1>${status += ' ' += b:reason(status)}</h1>
<t:message/>
<c:choose>
<c:when test="${user != null}"><p><a href="/home">Back to your home page</a></p></c:when>
<c:otherwise><p><a href="/">Back to the welcome page</a></p></c:otherwise>
</c:choose>
</t:layout>
