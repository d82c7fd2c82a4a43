package org.middlemark.brokerage.json;

import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.ext.MessageBodyReader;
import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;

/** Reads requests of at most 64 KiB. */
@Consumes(MediaType.APPLICATION_JSON)
public class MessageReader implements MessageBodyReader<Record> {
    private static final int MOST_BYTES = 64 * 1024;

    @Override
    public boolean isReadable(Class<?> type, Type genericType, Annotation[] annotations, MediaType mediaType) {
        return type.isRecord();
    }

    @Override
    public Record readFrom(Class<Record> type, Type genericType, Annotation[] annotations, MediaType mediaType,
            MultivaluedMap<String, String> headers, InputStream entity) throws IOException {
        byte[] body = entity.readNBytes(MOST_BYTES + 1);
        if (body.length > MOST_BYTES) {
            throw RequestReader.noObject();
        }
        return RequestReader.read(body, type);
    }
}
