<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="shown" uri="urn:middlemark:shown" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="${found.category().name()}" name="category">
<h1><c:out value="${found.category().name()}"/>, page <span id="number">${found.listing().number()}</span></h1>
<t:listing listing="${found.listing()}" address="/category?category_id=${shown:query(found.category().categoryId())}"/>
</t:layout>
