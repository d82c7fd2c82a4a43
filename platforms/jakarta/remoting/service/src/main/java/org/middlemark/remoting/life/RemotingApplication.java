package org.middlemark.remoting.life;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import org.middlemark.life.Application;
import org.middlemark.life.NotDefault;
import org.middlemark.remoting.settings.Role;
import org.middlemark.remoting.settings.Settings;

/** The service, whose settings do not change. */
@Dependent
public class RemotingApplication implements Application {
    private final Settings settings;

    @Inject
    public RemotingApplication(Settings settings) {
        this.settings = settings;
    }

    @Override
    public String specification() {
        return "remoting";
    }

    @Override
    public List<String> roles() {
        return settings.roles().stream().map(Role::word).toList();
    }

    @Override
    public boolean carries(String path) {
        return path.startsWith("/services/");
    }

    @Override
    public Map<String, String> settings() {
        return settings.shown();
    }

    @Override
    public List<NotDefault> notDefault() {
        return List.of(new NotDefault("query timeout of each statement", "the seconds that are left of its operation",
                "an operation has 10 s"));
    }
}
