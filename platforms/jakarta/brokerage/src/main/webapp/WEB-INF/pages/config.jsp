<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="b" uri="urn:middlemark:shown" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="Configuration" name="config">
<h1>Configuration</h1>
<p class="lead">What can change while the application runs. Changes last until it stops.</p>
<t:message/>
<section class="card narrow" aria-labelledby="config-heading">
<h2 id="config-heading">Settings</h2>
<form action="/config" method="post">
<p><label for="binding">Binding to the services</label> <select id="binding" name="binding">
<c:forEach items="${bindings}" var="one"><option value="${one.word()}"${one.word() == binding ? ' selected' : ''}${offeredBindings.contains(one.word()) ? '' : ' disabled'}>${one.word()}</option>
</c:forEach></select></p>
<p><label for="services_url">Address of the services</label> <input id="services_url" name="services_url" type="url" value="<c:out value="${servicesUrl}"/>"></p>
<p><label for="orders">Processing of orders</label> <select id="orders" name="orders">
<c:forEach items="${processings}" var="one"><option value="${one.word()}"${one.word() == ordering ? ' selected' : ''}${offeredProcessings.contains(one.word()) ? '' : ' disabled'}>${one.word()}</option>
</c:forEach></select></p>
<p><label for="market_summary_seconds">Age of the market summary in seconds (0: always new)</label> <input id="market_summary_seconds" name="market_summary_seconds" type="number" min="0" value="<c:out value="${marketSummarySeconds}"/>" required></p>
<p><button>Apply</button></p>
</form>
</section>
</t:layout>
