import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Makes the hundred Jakarta Pages of the page of the specification: {@code java MakeTemplates.java page.html FOLDER}.
 * Each is named by its number.
 */
final class MakeTemplates {
    private static final int PAGES = 100;
    private static final String WRITTEN_DATE = "2000-01-01";
    private static final String TODAY = "${today.date}";
    private static final String DIRECTIVE = "<%@ page contentType=\"text/html; charset=utf-8\" session=\"false\" %>";

    private MakeTemplates() {
    }

    public static void main(String[] arguments) throws IOException {
        String page = DIRECTIVE + Files.readString(Path.of(arguments[0])).replace(WRITTEN_DATE, TODAY);
        Path folder = Files.createDirectories(Path.of(arguments[1]));
        for (int number = 1; number <= PAGES; number++) {
            Files.writeString(folder.resolve(number + ".jsp"), page);
        }
    }
}
