<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="shown" uri="urn:middlemark:shown" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<c:set var="status" value="${requestScope['jakarta.servlet.error.status_code']}"/>
<c:choose>
<c:when test="${message != null}"><%-- a refusal has said why --%></c:when>
<c:when test="${status == 404}"><c:set var="message" value="There is no page ${shown:path(requestScope['jakarta.servlet.error.request_uri'])}."/></c:when>
<c:when test="${status >= 500}"><c:set var="message" value="Something went wrong. The details are in the log."/></c:when>
</c:choose>
<t:layout title="Error" name="error">
<h1>${status += ' ' += shown:reason(status)}</h1>
<c:if test="${message != null}"><p id="message" role="alert"><c:out value="${message}"/></p>
</c:if>
<p><a href="/">To the categories</a></p>
</t:layout>
