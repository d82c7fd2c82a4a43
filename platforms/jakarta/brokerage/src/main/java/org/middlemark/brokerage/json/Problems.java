package org.middlemark.brokerage.json;

import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;

/** Answers every failure as a problem; nothing of an unforeseen one leaves the log. */
public class Problems implements ExceptionMapper<Throwable> {
    private static final Logger LOG = Logger.getLogger(Problems.class.getName());

    @Override
    public Response toResponse(Throwable failure) {
        if (failure instanceof Refusal refusal) {
            return response(Answers.Problem.of(refusal));
        }
        if (failure instanceof WebApplicationException refused
                && refused.getResponse().getStatus() < Response.Status.INTERNAL_SERVER_ERROR.getStatusCode()) {
            Response.StatusType status = refused.getResponse().getStatusInfo();
            return response(new Answers.Problem(status.getStatusCode(), status.getReasonPhrase(),
                    Code.INVALID_INPUT.word()));
        }
        LOG.log(Level.SEVERE, "A JSON request failed", failure);
        return response(Answers.Problem.of(Refusal.internal(failure)));
    }

    private static Response response(Answers.Problem problem) {
        return Response.status(problem.status()).type(Answers.Problem.TYPE).entity(problem).build();
    }
}
