package org.middlemark.brokerage.json;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;
import java.util.Set;

/** The services over JSON: the operations and what belongs to them, and nothing else that a server may find. */
@ApplicationPath("/services/json")
public class JsonApplication extends Application {
    @Override
    public Set<Class<?>> getClasses() {
        return Set.of(BrokerageResource.class, OperationFilter.class, MessageReader.class, AnswerWriter.class,
                RefusalMapper.class);
    }
}
