package org.middlemark.spice.life;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import org.middlemark.life.Application;
import org.middlemark.life.NotDefault;
import org.middlemark.spice.settings.Settings;

/** SPICE, whose settings do not change. */
@Dependent
public class SpiceApplication implements Application {
    private final Settings settings;

    @Inject
    public SpiceApplication(Settings settings) {
        this.settings = settings;
    }

    @Override
    public String specification() {
        return "spice";
    }

    @Override
    public List<String> roles() {
        return List.of("web-server");
    }

    @Override
    public Map<String, String> settings() {
        return settings.shown();
    }

    @Override
    public List<NotDefault> notDefault() {
        return List.of(new NotDefault("Jakarta Pages session", "false",
                "nothing is remembered of who asks; by default a page begins a session"));
    }

    @Override
    public boolean carries(String path) {
        return true;
    }
}
