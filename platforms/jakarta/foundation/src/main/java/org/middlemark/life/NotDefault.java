package org.middlemark.life;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A setting that can change performance, and why it is as it is; the server lists its own. */
public record NotDefault(String what, String value, String why) {
    private static final int MEBIBYTE = 1024 * 1024;

    /** What the virtual machine has chosen or was given. */
    static List<NotDefault> ofMachine() {
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        String collectors = ManagementFactory.getGarbageCollectorMXBeans().stream().map(GarbageCollectorMXBean::getName)
                .collect(Collectors.joining(", "));
        List<NotDefault> all = new ArrayList<>(List.of(
                new NotDefault("Java garbage collector", collectors,
                "in effect; Java chooses by processors and memory"),
                new NotDefault("Java heap, first and most MiB",
                        heap.getInit() / MEBIBYTE + ", " + heap.getMax() / MEBIBYTE, "in effect at the start")));
        String options = ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("-X")).collect(Collectors.joining(" "));
        if (!options.isEmpty()) {
            all.add(new NotDefault("options of the virtual machine", options, "set by the server or the operator"));
        }
        return all;
    }
}
