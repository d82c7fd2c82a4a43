"""A checkout with a small Jakarta EE application: pages alone, which the server compiles."""

from __future__ import annotations

from pathlib import Path

from small_platform import SETTINGS, WAR, small_checkout

WEB = """<?xml version="1.0" encoding="UTF-8"?>
<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0">
  <servlet><servlet-name>health</servlet-name><jsp-file>/WEB-INF/health.jsp</jsp-file></servlet>
  <servlet><servlet-name>about</servlet-name><jsp-file>/WEB-INF/about.jsp</jsp-file></servlet>
  <servlet-mapping><servlet-name>health</servlet-name><url-pattern>/health</url-pattern></servlet-mapping>
  <servlet-mapping><servlet-name>about</servlet-name><url-pattern>/about</url-pattern></servlet-mapping>
</web-app>
"""

HEALTH = """<%@ page contentType="text/plain" trimDirectiveWhitespaces="true"
    import="java.sql.*, javax.naming.InitialContext, javax.sql.DataSource" %><%
try (Connection connection = ((DataSource) new InitialContext().lookup("jdbc/brokerage")).getConnection();
     Statement statement = connection.createStatement()) {
  statement.execute("SELECT 1");
  out.print("ok");
} catch (SQLException error) {
  response.setStatus(503);
  out.print("the database does not answer");
}
%>"""

ABOUT = """<%@ page contentType="application/json" trimDirectiveWhitespaces="true"
    import="jakarta.json.*, java.io.*, java.sql.*, javax.naming.InitialContext, javax.sql.DataSource" %><%
JsonObject server = Json.createReader(new FileReader(System.getenv("MM_SERVER"))).readObject();
JsonObjectBuilder settings = Json.createObjectBuilder();
System.getenv().forEach((name, value) -> {
  if (name.startsWith("MM_") && !name.equals("MM_SERVER"))
    settings.add(name.substring(3).toLowerCase(), value.replaceAll("(//[^:]*):[^@]*@", "$1@"));
});
for (String name : "SETTINGS".split(" "))
  if (System.getenv("MM_" + name.toUpperCase()) == null)
    settings.add(name, "");
JsonObjectBuilder versions = Json.createObjectBuilder(server.getJsonObject("versions"));
try (Connection connection = ((DataSource) new InitialContext().lookup("jdbc/brokerage")).getConnection()) {
  DatabaseMetaData database = connection.getMetaData();
  versions.add("driver in use", database.getDriverVersion());
  boolean committed = connection.getTransactionIsolation() == Connection.TRANSACTION_READ_COMMITTED;
  versions.add("isolation", committed ? "read committed" : "other");
}
versions.add("heap", String.valueOf(Runtime.getRuntime().maxMemory() >> 20));
out.print(Json.createObjectBuilder().add("platform", "small").add("server", server.get("server"))
    .add("specification", "brokerage").add("specification_version", "1").add("commit", "none")
    .add("roles", Json.createArrayBuilder().add(System.getenv("MM_ROLE"))).add("settings", settings)
    .add("versions", versions).add("not_default", server.get("not_default")).build());
%>"""

BUILD = """
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as war:
    for name in ("web.xml", "health.jsp", "about.jsp"):
        war.write(name, f"WEB-INF/{name}")
"""

RESOURCE = """
[[specs.brokerage.resources]]
kind = "database"
name = "brokerage"
xa = false
"""


def small_war_checkout(folder: Path, server: Path) -> Path:
    """Write the checkout into `folder` and return it; `server` is the folder of the only server it has."""
    home = small_checkout(folder, build='["python3", "war.py", "{artifact}"]', made=WAR)
    platform = home / "platforms" / "small"
    about = ABOUT.replace("SETTINGS", SETTINGS)
    for name, content in {"web.xml": WEB, "health.jsp": HEALTH, "about.jsp": about, "war.py": BUILD}.items():
        (platform / name).write_text(content, encoding="utf-8")
    with (platform / "platform.toml").open("a", encoding="utf-8") as description:
        description.write(RESOURCE)
    (home / "servers").mkdir()
    (home / "servers" / server.name).symlink_to(server)
    return home
