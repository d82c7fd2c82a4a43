package org.middlemark.brokerage.json;

import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.brokerage.domain.Refusal;

/** Answers refusals as problems, and everything unforeseen as an internal one with its details in the log. */
public class RefusalMapper implements ExceptionMapper<RuntimeException> {
    private static final Logger LOG = Logger.getLogger(RefusalMapper.class.getName());

    @Override
    public Response toResponse(RuntimeException failure) {
        if (failure instanceof Refusal refusal) {
            return response(refusal);
        }
        LOG.log(Level.SEVERE, "A JSON request failed", failure);
        return response(Refusal.internal(failure));
    }

    static Response response(Refusal refusal) {
        return Response.status(refusal.code().httpStatus()).type(MediaTypes.PROBLEM).entity(Problem.of(refusal))
                .build();
    }
}
