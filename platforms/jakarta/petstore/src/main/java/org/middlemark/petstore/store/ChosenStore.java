package org.middlemark.petstore.store;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import org.middlemark.database.DataAccessIdiom;
import org.middlemark.petstore.settings.Settings;
import org.middlemark.settings.DataAccess;

/** The store that the operator has chosen. */
@ApplicationScoped
public class ChosenStore {
    @Produces
    @ApplicationScoped
    public Store store(Settings settings, @DataAccessIdiom(DataAccess.JDBC) Store jdbc,
            @DataAccessIdiom(DataAccess.JPA) Store jpa) {
        return settings.dataAccess() == DataAccess.JPA ? jpa : jdbc;
    }
}
