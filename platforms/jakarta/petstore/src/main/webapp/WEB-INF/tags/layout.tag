<%@ tag pageEncoding="UTF-8" trimDirectiveWhitespaces="true" %>
<%@ attribute name="title" required="true" %>
<%@ attribute name="name" required="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title><c:out value="${title}"/> · Middlemark Pet Store</title>
<link rel="stylesheet" href="/style.css">
</head>
<body data-page="${name}">
<header>
<a class="brand" href="/"><img src="/images/logo.png" alt="" width="48" height="48"> Middlemark Pet Store</a>
<c:choose>
<c:when test="${requestScope.customer != null}"><form class="who" action="/sign-out" method="post">
Hello, <c:out value="${requestScope.customer.profile().firstName()}"/> (<strong id="user"><c:out value="${requestScope.customer.userId()}"/></strong>)
<button class="plain">Sign out</button>
</form></c:when>
<c:otherwise><p class="who"><a href="/sign-in">Sign in</a></p></c:otherwise>
</c:choose>
<form class="search" action="/search" method="get">
<label for="text">Search</label> <input id="text" name="text" value="<c:out value="${requestScope.text}"/>" maxlength="100" required> <button>Search</button>
</form>
<nav aria-label="Pages">
<a href="/"${name == 'home' ? ' aria-current="page"' : ''}>Categories</a>
<a href="/cart"${name == 'cart' ? ' aria-current="page"' : ''}><img src="/images/cart.png" alt="" width="24" height="24"> Cart</a>
<a href="/remote-order"${name == 'remote-order' ? ' aria-current="page"' : ''}>Order status</a>
</nav>
<div class="pets">
<img src="/images/bird.png" alt="" width="64" height="64">
<img src="/images/cat.png" alt="" width="64" height="64">
<img src="/images/dog.png" alt="" width="64" height="64">
<img src="/images/fish.png" alt="" width="64" height="64">
<img src="/images/frog.png" alt="" width="64" height="64">
<img src="/images/hamster.png" alt="" width="64" height="64">
<img src="/images/horse.png" alt="" width="64" height="64">
<img src="/images/lizard.png" alt="" width="64" height="64">
<img src="/images/rabbit.png" alt="" width="64" height="64">
<img src="/images/turtle.png" alt="" width="64" height="64">
</div>
</header>
<main>
<jsp:doBody/>
</main>
<footer>
<p>Middlemark Pet Store sells no animals. It measures application platforms. Times are UTC.</p>
</footer>
</body>
</html>
