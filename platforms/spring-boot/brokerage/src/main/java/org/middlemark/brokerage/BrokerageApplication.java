package org.middlemark.brokerage;

import org.middlemark.brokerage.settings.Settings;
import org.middlemark.brokerage.settings.WrongSetting;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.webservices.autoconfigure.WebServicesAutoConfiguration;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.resilience.annotation.EnableResilientMethods;

/** The brokerage as one process: it reads its settings, and starts what they say it carries. */
@SpringBootApplication(exclude = WebServicesAutoConfiguration.class)
@EnableCaching
@EnableResilientMethods
public class BrokerageApplication {

    private static final Logger LOG = LoggerFactory.getLogger(BrokerageApplication.class);
    private static final int WRONG_SETTING = 2;

    public static void main(String[] arguments) {
        try {
            start(Settings.read(System.getenv()));
        } catch (WrongSetting wrong) {
            System.err.println("brokerage: " + wrong.getMessage());
            System.exit(WRONG_SETTING);
        }
    }

    private static void start(Settings settings) {
        SpringApplication application = new SpringApplication(BrokerageApplication.class);
        application.setAdditionalProfiles(settings.profiles());
        application.setDefaultProperties(settings.properties());
        application.addInitializers(
                (GenericApplicationContext context) -> context.registerBean(Settings.class, () -> settings));
        application.run();
        LOG.info("Listens on {}:{} as {}", settings.host(), settings.port(), String.join(", ", settings.profiles()));
    }
}
