<%@ tag pageEncoding="UTF-8" trimDirectiveWhitespaces="true" %>
<%@ attribute name="to" required="true" %>
<%@ attribute name="text" required="true" %>
<%@ attribute name="from" required="true" %>
<a href="/${to}"${to == from ? ' aria-current="page"' : ''}>${text}</a>
