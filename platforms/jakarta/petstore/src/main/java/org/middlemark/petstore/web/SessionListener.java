package org.middlemark.petstore.web;

import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebListener;
import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionListener;
import org.middlemark.petstore.domain.Visit;
import org.middlemark.petstore.settings.Settings;

/** Gives each session its idle time and its visit. */
@WebListener
public class SessionListener implements HttpSessionListener {
    private final Settings settings;

    @Inject
    public SessionListener(Settings settings) {
        this.settings = settings;
    }

    @Override
    public void sessionCreated(HttpSessionEvent event) {
        event.getSession().setMaxInactiveInterval(settings.sessionSeconds());
        event.getSession().setAttribute(Visits.VISIT, new Visit());
    }
}
