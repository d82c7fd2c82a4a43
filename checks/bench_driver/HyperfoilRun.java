import io.hyperfoil.api.config.Benchmark;
import io.hyperfoil.core.impl.LocalBenchmarkData;
import io.hyperfoil.core.impl.LocalSimulationRunner;
import io.hyperfoil.core.parser.BenchmarkParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Runs a Hyperfoil benchmark in this process, without a controller: {@code HyperfoilRun FILE}. */
public final class HyperfoilRun {
    private HyperfoilRun() {}

    /** Reads the file, runs it, ends. */
    public static void main(String[] words) throws Exception {
        Path file = Path.of(words[0]);
        try (var text = Files.newInputStream(file)) {
            var files = new LocalBenchmarkData(file);
            Benchmark benchmark = BenchmarkParser.instance().buildBenchmark(text, files, Map.of());
            new LocalSimulationRunner(benchmark).run();
        }
        System.exit(0);
    }
}
