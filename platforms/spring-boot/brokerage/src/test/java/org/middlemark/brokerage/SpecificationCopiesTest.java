package org.middlemark.brokerage;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The application carries files of the specification, since it is built and moved without it. */
class SpecificationCopiesTest {

    private static final Path SPECIFICATION = Path.of("../../../specs/brokerage");
    private static final Path RESOURCES = Path.of("src/main/resources");

    @ParameterizedTest
    @CsvSource({"brokerage.wsdl, brokerage.wsdl", "pages/style.css, static/style.css", "pages/images/mark.svg, static/images/mark.svg",
        "pages/images/up.svg, static/images/up.svg", "pages/images/down.svg, static/images/down.svg",
        "pages/images/level.svg, static/images/level.svg"})
    void copyIsTheSpecificationsOwnFile(String original, String copy) {
        assertThat(RESOURCES.resolve(copy)).hasSameBinaryContentAs(SPECIFICATION.resolve(original));
    }
}
