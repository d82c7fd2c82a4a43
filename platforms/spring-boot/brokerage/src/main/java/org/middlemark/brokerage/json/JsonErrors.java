package org.middlemark.brokerage.json;

import org.middlemark.brokerage.errors.Refusal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotWritableException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Refusals over JSON as problem details. What cannot be read is refused by Spring MVC in the same form. */
@RestControllerAdvice(assignableTypes = JsonController.class)
class JsonErrors extends ResponseEntityExceptionHandler {

    private static final Logger LOG = LoggerFactory.getLogger(JsonErrors.class);

    @ExceptionHandler
    ProblemDetail refused(Refusal refusal) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(refusal.code().status(), refusal.getMessage());
        problem.setTitle(refusal.code().code());
        problem.setProperty("code", refusal.code().code());
        return problem;
    }

    /** An answer that cannot be written is nobody's fault outside. */
    @Override
    protected ResponseEntity<Object> handleHttpMessageNotWritable(HttpMessageNotWritableException failure, HttpHeaders headers,
            HttpStatusCode status, WebRequest request) {
        return handleExceptionInternal(failure, failed(failure), headers, status, request);
    }

    @ExceptionHandler
    ProblemDetail failed(RuntimeException failure) {
        LOG.error("A request over JSON failed", failure);
        return refused(Refusal.internal());
    }
}
