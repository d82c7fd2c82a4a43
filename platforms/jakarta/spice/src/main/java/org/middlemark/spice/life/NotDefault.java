package org.middlemark.spice.life;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A setting that can change performance, and why it is as it is; the server lists its own. */
record NotDefault(String what, String value, String why) {
    private static final int MEBIBYTE = 1024 * 1024;

    /** What the virtual machine has chosen or was given, and what the application sets. */
    static List<NotDefault> all() {
        return Stream.concat(ofMachine(), ofApplication()).toList();
    }

    private static Stream<NotDefault> ofMachine() {
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        String collectors = ManagementFactory.getGarbageCollectorMXBeans().stream().map(GarbageCollectorMXBean::getName)
                .collect(Collectors.joining(", "));
        String options = ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("-X")).collect(Collectors.joining(" "));
        Stream<NotDefault> given = options.isEmpty() ? Stream.empty()
                : Stream.of(new NotDefault("options of the virtual machine", options,
                        "set by the server or the operator"));
        return Stream.concat(Stream.of(
                new NotDefault("Java garbage collector", collectors,
                        "in effect; Java chooses by processors and memory"),
                new NotDefault("Java heap, first and most MiB",
                        heap.getInit() / MEBIBYTE + ", " + heap.getMax() / MEBIBYTE, "in effect at the start")), given);
    }

    private static Stream<NotDefault> ofApplication() {
        return Stream.of(new NotDefault("Jakarta Pages session", "false",
                "nothing is remembered of who asks; by default a page begins a session"));
    }
}
