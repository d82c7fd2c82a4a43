<%@ page contentType="text/html; charset=utf-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="c" uri="jakarta.tags.core" %>
<%@ taglib prefix="b" uri="urn:middlemark:shown" %>
<%@ taglib prefix="t" tagdir="/WEB-INF/tags" %>
<t:layout title="Glossary" name="glossary">
<h1>Glossary</h1>
<p class="lead">The words of the brokerage.</p>
<section class="card" aria-label="Words">
<dl class="words">
<div><dt>Account</dt><dd>A user's money and counters. Every user has exactly one.</dd></div>
<div><dt>Alert</dt><dd>Tells the user once that an order has been completed.</dd></div>
<div><dt>Balance</dt><dd>The money in an account now. The opening balance is what it began with.</dd></div>
<div><dt>Being sold</dt><dd>A holding whose order to sell is still open. It stays in the portfolio until the order is completed, and cannot be sold again.</dd></div>
<div><dt>Fee</dt><dd>What every order costs besides the shares: 24.95.</dd></div>
<div><dt>Gain or loss</dt><dd>Of a holding: its value now less its cost, without fees. Of an account: its total less the opening balance.</dd></div>
<div><dt>Gainers and losers</dt><dd>The five quotes that have risen most and the five that have fallen most since the opening.</dd></div>
<div><dt>Holding</dt><dd>Shares of one symbol bought by one order. It is always sold as a whole.</dd></div>
<div><dt>Index</dt><dd>The average price of all quotes.</dd></div>
<div><dt>Market summary</dt><dd>Index, volume, gainers and losers over all quotes.</dd></div>
<div><dt>Order</dt><dd>Buys or sells shares. It is open until it is completed, then closed. Price and fee are fixed when it is placed.</dd></div>
<div><dt>Portfolio</dt><dd>All holdings of a user.</dd></div>
<div><dt>Profile</dt><dd>Who a user is: full name, address, email and credit card.</dd></div>
<div><dt>Quote</dt><dd>A share's price now, and its opening, lowest and highest price, change and volume.</dd></div>
<div><dt>Symbol</dt><dd>The short name of a company's share, such as s:1.</dd></div>
<div><dt>Volume</dt><dd>The number of shares traded.</dd></div>
</dl>
</section>
</t:layout>
