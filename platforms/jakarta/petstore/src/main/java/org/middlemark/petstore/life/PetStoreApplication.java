package org.middlemark.petstore.life;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.middlemark.life.Application;
import org.middlemark.life.NotDefault;
import org.middlemark.petstore.settings.Role;
import org.middlemark.petstore.settings.Settings;
import org.middlemark.settings.DataAccess;
import org.middlemark.settings.DatabaseAddress;

/** The shop, whose settings do not change. */
@Dependent
public class PetStoreApplication implements Application {
    private final Settings settings;

    @Inject
    public PetStoreApplication(Settings settings) {
        this.settings = settings;
    }

    @Override
    public String specification() {
        return "petstore";
    }

    @Override
    public List<String> roles() {
        return settings.roles().stream().map(Role::word).toList();
    }

    @Override
    public boolean carries(String path) {
        return settings.roles().contains(path.startsWith("/services/") ? Role.ORDER_SERVICE : Role.WEB);
    }

    @Override
    public Map<String, String> settings() {
        Settings.Databases databases = settings.databases();
        Map<String, String> shown = new LinkedHashMap<>();
        shown.put("role", String.join(",", roles()));
        shown.put("host", settings.host());
        shown.put("port", Integer.toString(settings.port()));
        shown.put("catalog_url", databases.catalog().map(DatabaseAddress::shown).orElse(""));
        shown.put("orders_url", databases.orders().shown());
        shown.put("catalog_pool", Integer.toString(databases.catalogPool()));
        shown.put("orders_pool", Integer.toString(databases.ordersPool()));
        shown.put("data_access", settings.dataAccess().word());
        shown.put("service_url", settings.service().toString());
        shown.put("catalog_seconds", Integer.toString(settings.catalogSeconds()));
        shown.put("session_seconds", Integer.toString(settings.sessionSeconds()));
        shown.put("recovery_seconds", Integer.toString(settings.recoverySeconds()));
        return shown;
    }

    @Override
    public List<NotDefault> notDefault() {
        List<NotDefault> all = new ArrayList<>();
        all.add(new NotDefault("query timeout of each statement", "the seconds that are left of its operation",
                "an operation has 10 s"));
        if (settings.dataAccess() == DataAccess.JPA) {
            all.add(new NotDefault("persistence.xml shared-cache-mode", "NONE",
                    "static data is kept by the application, whatever reads it; nothing else may be"));
            all.add(new NotDefault("persistence.xml validation-mode", "NONE", "the limits are checked before"));
            all.add(new NotDefault("persistence.xml jakarta.persistence.query.timeout", "10000",
                    "an operation that the database has not done after 10 s is refused"));
            all.add(new NotDefault("persistence.xml eclipselink.jdbc.batch-writing, hibernate.jdbc.batch_size",
                    "JDBC, 100", "the lines of an order are sent together"));
        }
        return all;
    }
}
