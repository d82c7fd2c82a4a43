package org.middlemark.brokerage.web;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What one address answers. */
final class Address {
    private Page get;
    private Page post;
    private boolean needsSession;

    Address get(Page page) {
        get = page;
        return this;
    }

    Address post(Page page) {
        post = page;
        return this;
    }

    /** The page is only for who is logged in. */
    Address forUsers() {
        needsSession = true;
        return this;
    }

    boolean needsSession() {
        return needsSession;
    }

    /** The page for a method; HEAD is answered like GET. */
    Optional<Page> page(String method) {
        return Optional.ofNullable(switch (method) {
            case "GET", "HEAD" -> get;
            case "POST" -> post;
            default -> null;
        });
    }

    /** The methods, as the header {@code Allow} has them. */
    String methods() {
        List<String> methods = new ArrayList<>();
        if (get != null) {
            methods.add("GET, HEAD");
        }
        if (post != null) {
            methods.add("POST");
        }
        return String.join(", ", methods);
    }
}
