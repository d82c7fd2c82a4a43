package org.middlemark.json;

import jakarta.json.JsonException;
import jakarta.json.bind.JsonbException;
import jakarta.ws.rs.BadRequestException;
import jakarta.ws.rs.ProcessingException;
import jakarta.ws.rs.ext.ReaderInterceptor;
import jakarta.ws.rs.ext.ReaderInterceptorContext;
import java.io.IOException;

/** Refuses requests that cannot be read, {@code null} among them, which JSON-B reads as no object at all. */
public class ReadableRequests implements ReaderInterceptor {
    @Override
    public Object aroundReadFrom(ReaderInterceptorContext request) throws IOException {
        Object read;
        try {
            read = request.proceed();
        } catch (JsonException | JsonbException | ProcessingException unreadable) {
            throw new BadRequestException(unreadable);
        }
        if (read == null) {
            throw new BadRequestException();
        }
        return read;
    }
}
