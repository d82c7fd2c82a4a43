package org.middlemark.brokerage.json;

import jakarta.ws.rs.BadRequestException;
import jakarta.ws.rs.ext.ReaderInterceptor;
import jakarta.ws.rs.ext.ReaderInterceptorContext;
import java.io.IOException;

/** Refuses the request {@code null}, which JSON-B reads as no object at all. */
public class NullIsNoRequest implements ReaderInterceptor {
    @Override
    public Object aroundReadFrom(ReaderInterceptorContext request) throws IOException {
        Object read = request.proceed();
        if (read == null) {
            throw new BadRequestException();
        }
        return read;
    }
}
