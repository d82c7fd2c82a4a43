package org.middlemark.remoting.json;

import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.domain.Unreadable;

/** Answers every failure with its code; nothing of an unforeseen one leaves the log. */
public class Problems implements ExceptionMapper<Throwable> {
    private static final Logger LOG = Logger.getLogger(Problems.class.getName());

    @Override
    public Response toResponse(Throwable failure) {
        if (failure instanceof Refusal refusal) {
            return response(refusal.code().httpStatus(), JsonMessages.Failure.of(refusal));
        }
        if (failure instanceof Unreadable unreadable) {
            return toResponse(Refusal.invalid(unreadable.getMessage()));
        }
        if (failure instanceof WebApplicationException refused
                && refused.getResponse().getStatus() < Response.Status.INTERNAL_SERVER_ERROR.getStatusCode()) {
            Response.StatusType status = refused.getResponse().getStatusInfo();
            return response(status.getStatusCode(),
                    new JsonMessages.Failure(Code.INVALID_INPUT.word(), status.getReasonPhrase()));
        }
        LOG.log(Level.SEVERE, "A JSON request failed", failure);
        return toResponse(Refusal.internal(failure));
    }

    private static Response response(int status, JsonMessages.Failure failure) {
        return Response.status(status).type(MediaType.APPLICATION_JSON).entity(failure).build();
    }
}
