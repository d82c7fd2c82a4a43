<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="shown" uri="urn:middlemark:shown" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="Categories" name="home">
<h1>Categories</h1>
<ul class="categories">
<c:forEach items="${categories}" var="category"><li><a href="/category?category_id=${shown:query(category.categoryId())}"><c:out value="${category.name()}"/></a></li>
</c:forEach></ul>
</t:layout>
