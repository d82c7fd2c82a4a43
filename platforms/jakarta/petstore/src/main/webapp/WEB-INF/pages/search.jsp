<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="shown" uri="urn:middlemark:shown" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="Search" name="search">
<h1>Products named “<c:out value="${text}"/>”, page <span id="number">${listing.number()}</span></h1>
<t:listing listing="${listing}" address="/search?text=${shown:query(text)}"/>
</t:layout>
