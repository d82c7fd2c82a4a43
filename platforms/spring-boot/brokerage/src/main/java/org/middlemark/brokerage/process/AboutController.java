package org.middlemark.brokerage.process;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.catalina.util.ServerInfo;
import org.middlemark.brokerage.settings.Role;
import org.middlemark.brokerage.settings.Settings;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.info.BuildProperties;
import org.springframework.core.SpringVersion;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.annotation.JsonNaming;

/** Tells what the process is and which settings are in effect. */
@RestController
class AboutController {

    private final About about;

    AboutController(Settings settings, BuildProperties build) {
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put("java", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        versions.put("spring-boot", SpringBootVersion.getVersion());
        versions.put("spring", SpringVersion.getVersion());
        versions.put("postgresql-jdbc", build.get("postgresql"));
        versions.put("hikaricp", build.get("hikaricp"));
        versions.put("thymeleaf", build.get("thymeleaf"));
        versions.put("spring-ws", build.get("spring-ws"));
        versions.put("httpclient", build.get("httpclient"));
        List<String> roles = settings.roles().stream().map(Role::word).toList();
        about = new About("spring-boot", ServerInfo.getServerInfo(), "brokerage", "1", build.get("commit"), roles, settings.shown(),
                versions, NotDefault.of(settings));
    }

    @GetMapping("/about")
    About about() {
        return about;
    }

    /** What {@code /about} answers. */
    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    record About(String platform, String server, String specification, String specificationVersion, String commit, List<String> roles,
            Map<String, String> settings, Map<String, String> versions, List<NotDefault> notDefault) {
    }
}
