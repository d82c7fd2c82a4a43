<%@ tag pageEncoding="UTF-8" trimDirectiveWhitespaces="true" %>
<%@ attribute name="title" required="true" %>
<%@ attribute name="name" required="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Middlemark Brokerage</title>
<link rel="stylesheet" href="/style.css">
<link rel="icon" href="/images/mark.svg" type="image/svg+xml">
</head>
<body data-page="${name}">
<header>
<a class="brand" href="/"><img src="/images/mark.svg" alt="" width="28" height="28"> Middlemark Brokerage</a>
<c:choose>
<c:when test="${requestScope.user != null}"><form class="who" action="/logout" method="post">
<strong id="user"><c:out value="${requestScope.user}"/></strong>
<button class="plain">Log out</button>
</form>
<nav aria-label="Pages">
<t:link to="home" text="Home" from="${name}"/>
<t:link to="account" text="Account" from="${name}"/>
<t:link to="portfolio" text="Portfolio" from="${name}"/>
<t:link to="quotes" text="Quotes" from="${name}"/>
<t:link to="glossary" text="Glossary" from="${name}"/>
</nav></c:when>
<c:otherwise><nav aria-label="Pages">
<a href="/"${name == 'welcome' ? ' aria-current="page"' : ''}>Log in</a>
<t:link to="register" text="Register" from="${name}"/>
<t:link to="glossary" text="Glossary" from="${name}"/>
</nav></c:otherwise>
</c:choose>
</header>
<main>
<jsp:doBody/>
</main>
<footer>
<p>Middlemark Brokerage trades in invented shares of invented companies, to measure application platforms. Times are UTC.</p>
</footer>
</body>
</html>
