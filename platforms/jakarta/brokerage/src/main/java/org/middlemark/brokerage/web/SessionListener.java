package org.middlemark.brokerage.web;

import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebListener;
import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionListener;
import org.middlemark.brokerage.settings.Settings;

/** Gives each session its idle time, and counts them. */
@WebListener
public class SessionListener implements HttpSessionListener {
    private final Settings settings;
    private final Traffic traffic;

    @Inject
    public SessionListener(Settings settings, Traffic traffic) {
        this.settings = settings;
        this.traffic = traffic;
    }

    @Override
    public void sessionCreated(HttpSessionEvent event) {
        event.getSession().setMaxInactiveInterval(settings.sessionSeconds());
        traffic.sessionBegan();
    }

    @Override
    public void sessionDestroyed(HttpSessionEvent event) {
        traffic.sessionEnded();
    }
}
