package org.middlemark.remoting.json;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;
import java.util.Set;
import org.middlemark.json.ReadableRequests;

/** The service over JSON. */
@ApplicationPath("/services/json")
public class JsonApplication extends Application {
    @Override
    public Set<Class<?>> getClasses() {
        return Set.of(RemotingResource.class, RequestsAndAnswers.class, Problems.class, ReadableRequests.class);
    }
}
