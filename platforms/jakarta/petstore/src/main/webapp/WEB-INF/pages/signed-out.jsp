<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="Signed out" name="signed-out">
<h1>Signed out</h1>
<p>Good bye. <a href="/sign-in">Sign in again</a></p>
</t:layout>
