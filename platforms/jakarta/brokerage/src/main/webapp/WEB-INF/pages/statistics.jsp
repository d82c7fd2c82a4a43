<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="b" uri="urn:middlemark:shown" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="Statistics" name="statistics">
<h1>Statistics</h1>
<p class="lead">What this process has done since it was started.</p>
<div class="columns">
<section class="card" aria-labelledby="process-heading">
<h2 id="process-heading">Process</h2>
<dl>
<div><dt>Started</dt><dd><time id="started">${b:time(started)}</time></dd></div>
<div><dt>Seconds since then</dt><dd id="uptime">${uptime}</dd></div>
<div><dt>Threads</dt><dd id="threads">${threads}</dd></div>
</dl>
</section>
<section class="card" aria-labelledby="work-heading">
<h2 id="work-heading">Work</h2>
<dl>
<div><dt>Requests answered by the web tier</dt><dd id="requests">${traffic.requests()}</dd></div>
<div><dt>Error pages with status 500 or more</dt><dd id="request-errors">${traffic.requestErrors()}</dd></div>
<div><dt>Sessions</dt><dd id="sessions">${traffic.sessions()}</dd></div>
<div><dt>Operations that asked the database</dt><dd id="operations">${counters.operations()}</dd></div>
<div><dt>Operations that failed</dt><dd id="operation-errors">${counters.operationErrors()}</dd></div>
<div><dt>Orders placed</dt><dd id="orders-placed">${counters.ordersPlaced()}</dd></div>
<div><dt>Orders completed</dt><dd id="orders-completed">${counters.ordersCompleted()}</dd></div>
</dl>
</section>
</div>
</t:layout>
