<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="b" uri="urn:middlemark:shown" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="Register" name="register">
<h1>Register</h1>
<p class="lead">Open an account with the balance of your choice.</p>
<t:message/>
<section class="card narrow" aria-labelledby="register-heading">
<h2 id="register-heading">About you</h2>
<form action="/register" method="post">
<p><label for="user_id">User id</label> <input id="user_id" name="user_id" value="<c:out value="${user_id}"/>" maxlength="50" required autocomplete="username"></p>
<p><label for="password">Password</label> <input id="password" name="password" type="password" maxlength="50" required autocomplete="new-password"></p>
<p><label for="confirm_password">Password again</label> <input id="confirm_password" name="confirm_password" type="password" maxlength="50" required autocomplete="new-password"></p>
<t:profile fullName="${full_name}" address="${address}" email="${email}" creditCard="${credit_card}"/>
<p><label for="open_balance">Opening balance</label> <input id="open_balance" name="open_balance" value="<c:out value="${open_balance}"/>" inputmode="decimal" required></p>
<p><button>Register</button></p>
</form>
</section>
</t:layout>
