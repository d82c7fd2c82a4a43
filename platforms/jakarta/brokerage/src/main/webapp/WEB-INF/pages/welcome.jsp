<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="b" uri="urn:middlemark:shown" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="Welcome" name="welcome">
<h1>Welcome</h1>
<p class="lead">Buy and sell shares, watch the market and keep an eye on your portfolio.</p>
<t:message/>
<section class="card narrow" aria-labelledby="login-heading">
<h2 id="login-heading">Log in</h2>
<form action="/login" method="post">
<p><label for="user_id">User id</label> <input id="user_id" name="user_id" value="<c:out value="${typedUserId}"/>" maxlength="50" required autocomplete="username"></p>
<p><label for="password">Password</label> <input id="password" name="password" type="password" maxlength="50" required autocomplete="current-password"></p>
<p><button>Log in</button></p>
</form>
<p>New here? <a href="/register">Open an account</a>.</p>
</section>
</t:layout>
