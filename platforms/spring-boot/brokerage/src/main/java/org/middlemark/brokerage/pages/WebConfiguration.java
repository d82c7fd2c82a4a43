package org.middlemark.brokerage.pages;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.middlemark.brokerage.settings.WebTier;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Configuration;
import org.springframework.format.FormatterRegistry;
import org.springframework.http.CacheControl;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.WebContentInterceptor;
import org.thymeleaf.spring6.view.ThymeleafViewResolver;

/** What all pages have in common. */
@Configuration(proxyBeanMethods = false)
@WebTier
class WebConfiguration implements WebMvcConfigurer {

    private static final DateTimeFormatter SHOWN_TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneOffset.UTC);

    /** Redirects are 303, which a browser follows with GET, and not 302. */
    @Autowired
    void redirectWithSeeOther(ThymeleafViewResolver views) {
        views.setRedirectHttp10Compatible(false);
    }

    @Override
    public void addFormatters(FormatterRegistry registry) {
        registry.addConverter(Instant.class, String.class, SHOWN_TIME::format);
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        WebContentInterceptor notStored = new WebContentInterceptor();
        notStored.setCacheControl(CacheControl.noStore());
        registry.addInterceptor(notStored).excludePathPatterns("/services/**", "/style.css", "/images/**");
        registry.addInterceptor(new LoginRequired())
                .addPathPatterns("/home", "/account", "/portfolio", "/quotes", "/buy", "/sell", "/logout");
    }
}
