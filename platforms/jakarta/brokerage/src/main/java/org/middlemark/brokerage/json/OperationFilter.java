package org.middlemark.brokerage.json;

import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import org.middlemark.brokerage.messages.Operation;

/**
 * Lets only POST requests for an operation pass, and these whatever their headers say about what is sent and wanted.
 */
@PreMatching
public class OperationFilter implements ContainerRequestFilter {
    @Override
    public void filter(ContainerRequestContext request) {
        String path = request.getUriInfo().getPath();
        String name = path.startsWith("/") ? path.substring(1) : path;
        if (!HttpMethod.POST.equals(request.getMethod()) || Operation.of(name).isEmpty()) {
            request.abortWith(RefusalMapper.response(Operation.unknown(name)));
            return;
        }
        request.getHeaders().putSingle(HttpHeaders.CONTENT_TYPE, MediaType.APPLICATION_JSON);
        request.getHeaders().putSingle(HttpHeaders.ACCEPT, MediaType.WILDCARD);
    }
}
