package org.middlemark.spice.contents;

import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.ServletRegistration;
import jakarta.servlet.annotation.WebListener;

/** Gives each of the hundred templates its address. They are compiled when the application starts. */
@WebListener
public class Templates implements ServletContextListener {
    private static final int TEMPLATES = 100;

    @Override
    public void contextInitialized(ServletContextEvent event) {
        ServletContext context = event.getServletContext();
        for (int number = 1; number <= TEMPLATES; number++) {
            String page = "/WEB-INF/templates/" + number + ".jsp";
            ServletRegistration.Dynamic template = context.addJspFile("template " + number, page);
            template.addMapping("/template/" + number);
            template.setLoadOnStartup(number);
        }
    }
}
