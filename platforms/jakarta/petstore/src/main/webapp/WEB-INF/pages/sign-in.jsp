<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="Sign in" name="sign-in">
<h1>Sign in</h1>
<t:message/>
<form class="card" action="/sign-in" method="post">
<p><label for="user_id">User id</label> <input id="user_id" name="user_id" value="<c:out value="${typedUserId}"/>" maxlength="50" required autocomplete="username"></p>
<p><label for="password">Password</label> <input id="password" name="password" type="password" maxlength="50" required autocomplete="current-password"></p>
<p><button>Sign in</button></p>
</form>
</t:layout>
