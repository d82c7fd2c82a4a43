package org.middlemark.brokerage.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.middlemark.brokerage.process.Statistics;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class PageCountTest {

    private final Statistics statistics = new Statistics();

    @Test
    void pageThatIsAnsweredIsNoError() throws ServletException, IOException {
        answer((request, response) -> { });
        assertThat(statistics.snapshot().requests()).isEqualTo(1);
        assertThat(statistics.snapshot().requestErrors()).isZero();
    }

    @Test
    void exceptionThatNothingCatchesIsAnError() {
        assertThatThrownBy(() -> answer((request, response) -> {
            throw new ServletException("escaped");
        })).isInstanceOf(ServletException.class);
        assertThat(statistics.snapshot().requests()).isEqualTo(1);
        assertThat(statistics.snapshot().requestErrors()).isEqualTo(1);
    }

    private void answer(FilterChain chain) throws ServletException, IOException {
        new PageCount(statistics).doFilter(new MockHttpServletRequest("GET", "/home"), new MockHttpServletResponse(), chain);
    }
}
