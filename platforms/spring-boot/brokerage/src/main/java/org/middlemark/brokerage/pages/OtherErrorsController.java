package org.middlemark.brokerage.pages;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import org.middlemark.brokerage.errors.Refusal;
import org.middlemark.brokerage.settings.WebTier;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.util.UriUtils;

/** Error pages of what no controller has answered: addresses and methods that do not exist, and requests that cannot be read. */
@Controller
@WebTier
class OtherErrorsController implements ErrorController {

    @RequestMapping("${server.error.path:/error}")
    ModelAndView error(HttpServletRequest request) {
        HttpStatus status = status(request);
        if (status.is5xxServerError()) {
            return ErrorPage.of(Refusal.internal(), request);
        }
        String path = path(request);
        return ErrorPage.of(status, switch (status) {
            case NOT_FOUND -> "There is no page " + path + ".";
            case METHOD_NOT_ALLOWED -> path + " does not answer " + request.getAttribute(RequestDispatcher.ERROR_METHOD) + ".";
            default -> "The request cannot be read.";
        }, request);
    }

    /** The page has an address, which is one that does not exist for who asks for it. */
    private static HttpStatus status(HttpServletRequest request) {
        Object code = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
        HttpStatus status = code instanceof Integer number ? HttpStatus.resolve(number) : HttpStatus.NOT_FOUND;
        return status == null ? HttpStatus.INTERNAL_SERVER_ERROR : status;
    }

    private static String path(HttpServletRequest request) {
        Object path = request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI);
        return UriUtils.decode(path instanceof String text ? text : request.getRequestURI(), StandardCharsets.UTF_8);
    }
}
