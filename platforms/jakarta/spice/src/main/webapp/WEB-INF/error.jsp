<%@ page contentType="text/html; charset=utf-8" session="false" isErrorPage="true" %><!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>${pageContext.errorData.statusCode}</title></head>
<body><h1>${pageContext.errorData.statusCode}</h1></body>
</html>
