package org.middlemark.spice.contents;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the build makes of the specification's page. */
class TemplatesTest {
    private static final Path TEMPLATES = Path.of(System.getProperty("templates"));

    static IntStream numbers() {
        return IntStream.rangeClosed(1, 100);
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void aDateInPlaceOfTheExpressionGivesThePageAgain(int number) throws IOException {
        String template = Files.readString(TEMPLATES.resolve(number + ".jsp"));
        String page = template.replaceFirst("^<%@[^%]*%>", "").replace("${today.date}", "2000-01-01");
        try (InputStream file = PageServlet.class.getResourceAsStream("/page.html")) {
            assertEquals(new String(file.readAllBytes(), StandardCharsets.UTF_8), page);
        }
    }

    @Test
    void todayIsAsLongAsTheDateThatIsWritten() {
        assertEquals("2000-01-01".length(), new Today().getDate().length());
    }
}
