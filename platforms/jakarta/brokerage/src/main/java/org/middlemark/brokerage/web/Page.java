package org.middlemark.brokerage.web;

import jakarta.servlet.ServletException;
import java.io.IOException;

/** Answers one method of one address. A refusal that it lets out becomes the error page. */
@FunctionalInterface
interface Page {
    void answer(Visit visit) throws IOException, ServletException;
}
