<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="b" uri="urn:middlemark:shown" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="Home" name="home">
<t:alerts/>
<h1>Home</h1>
<div class="columns">
<section class="card" id="account" aria-labelledby="account-heading">
<h2 id="account-heading">Your account</h2>
<dl>
<div><dt>Account</dt><dd id="account-id">${account.accountId()}</dd></div>
<div><dt>Created</dt><dd><time id="creation-time">${b:time(account.creationTime())}</time></dd></div>
<div><dt>Last login</dt><dd><time id="last-login">${b:time(account.lastLogin())}</time></dd></div>
<div><dt>Logins</dt><dd>${account.loginCount()}</dd></div>
<div><dt>Logouts</dt><dd>${account.logoutCount()}</dd></div>
<div><dt>Opening balance</dt><dd>${account.openBalance()}</dd></div>
<div><dt>Balance</dt><dd>${account.balance()}</dd></div>
<div><dt>Holdings</dt><dd>${holdings}</dd></div>
<div><dt>Value of holdings</dt><dd>${value}</dd></div>
<div class="total"><dt>Total</dt><dd>${total}</dd></div>
<div><dt>Gain or loss</dt><dd${gain.signum() > 0 ? ' class="gain"' : gain.signum() < 0 ? ' class="loss"' : ''}>${gain}</dd></div>
</dl>
</section>
<section class="card" id="market" aria-labelledby="market-heading">
<h2 id="market-heading">Market summary</h2>
<table>
<tbody>
<tr><th scope="row">Index</th><td class="number">${market.index()}</td></tr>
<tr><th scope="row">Index at the opening</th><td class="number">${market.openIndex()}</td></tr>
<tr><th scope="row">Change</th><t:change amount="${market.change()}"/></tr>
<tr><th scope="row">Volume</th><td class="number">${market.volume()}</td></tr>
</tbody>
</table>
<t:movers heading="Gainers" quotes="${market.gainers()}"/>
<t:movers heading="Losers" quotes="${market.losers()}"/>
<p class="note">As of <time id="as-of">${b:time(market.asOf())}</time></p>
</section>
</div>
</t:layout>
