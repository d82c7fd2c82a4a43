package org.middlemark.brokerage.life;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.middlemark.brokerage.domain.Refusal;
import org.middlemark.brokerage.services.SettingsInEffect;
import org.middlemark.brokerage.settings.Binding;
import org.middlemark.brokerage.settings.Role;
import org.middlemark.brokerage.settings.Settings;
import org.middlemark.brokerage.web.ServicesInReach;

/** Whether this process can do its work. */
@ApplicationScoped
public class Health {
    private static final int SECONDS = 2;

    @Inject
    private Settings settings;
    @Inject
    private SettingsInEffect inEffect;
    @Inject
    private ServicesInReach services;
    @Inject
    private DatabaseHealth database;
    @Resource
    private ManagedExecutorService executor;

    /** Why it cannot, in one line; nothing when it can. Not to know within two seconds is trouble, too. */
    Optional<String> trouble() {
        Future<Optional<String>> looking = executor.submit(this::look);
        try {
            return looking.get(SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException slow) {
            looking.cancel(true);
            return Optional.of("the database or the services did not answer within " + SECONDS + " s");
        } catch (ExecutionException failure) {
            return Optional.of(String.valueOf(failure.getCause()));
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return Optional.of("the process is stopping");
        }
    }

    private Optional<String> look() {
        Optional<String> ofDatabase = settings.hasServices() ? database.trouble(SECONDS) : Optional.empty();
        boolean remote = settings.roles().contains(Role.WEB) && inEffect.now().binding() != Binding.LOCAL;
        return ofDatabase.isPresent() || !remote ? ofDatabase : remote();
    }

    private Optional<String> remote() {
        try {
            services.services().ping();
            return Optional.empty();
        } catch (Refusal refusal) {
            return Optional.of("the services do not answer at " + inEffect.now().servicesUrl().orElseThrow());
        }
    }
}
