package org.middlemark.brokerage.json;

/** What the bodies are. */
final class MediaTypes {
    static final String JSON = "application/json";
    static final String PROBLEM = "application/problem+json";

    private MediaTypes() {
    }
}
