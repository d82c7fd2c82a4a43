package org.middlemark.brokerage.soap;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A request whose body and what is said about it are replaced. */
final class CheckedRequest extends HttpServletRequestWrapper {
    private final byte[] body;
    private final Map<String, String> headers;

    CheckedRequest(HttpServletRequest request, byte[] body) {
        super(request);
        this.body = body;
        this.headers = Map.of("content-type", SoapNames.CONTENT_TYPE, "content-length", Integer.toString(body.length),
                "soapaction", "\"\"");
    }

    @Override
    public String getHeader(String name) {
        String replaced = headers.get(name.toLowerCase(Locale.ROOT));
        return replaced == null ? super.getHeader(name) : replaced;
    }

    @Override
    public Enumeration<String> getHeaders(String name) {
        String replaced = headers.get(name.toLowerCase(Locale.ROOT));
        return replaced == null ? super.getHeaders(name) : Collections.enumeration(Set.of(replaced));
    }

    @Override
    public Enumeration<String> getHeaderNames() {
        Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        names.addAll(headers.keySet());
        names.addAll(Collections.list(super.getHeaderNames()));
        return Collections.enumeration(names);
    }

    @Override
    public String getContentType() {
        return SoapNames.CONTENT_TYPE;
    }

    @Override
    public String getCharacterEncoding() {
        return StandardCharsets.UTF_8.name();
    }

    @Override
    public int getContentLength() {
        return body.length;
    }

    @Override
    public long getContentLengthLong() {
        return body.length;
    }

    @Override
    public BufferedReader getReader() {
        return new BufferedReader(new InputStreamReader(getInputStream(), StandardCharsets.UTF_8));
    }

    @Override
    public ServletInputStream getInputStream() {
        return new Replaced(new ByteArrayInputStream(body));
    }

    private static final class Replaced extends ServletInputStream {
        private final ByteArrayInputStream bytes;

        Replaced(ByteArrayInputStream bytes) {
            this.bytes = bytes;
        }

        @Override
        public int read() {
            return bytes.read();
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            return bytes.read(into, offset, length);
        }

        @Override
        public boolean isFinished() {
            return bytes.available() == 0;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setReadListener(ReadListener listener) {
            throw new IllegalStateException("the body is there already");
        }
    }
}
