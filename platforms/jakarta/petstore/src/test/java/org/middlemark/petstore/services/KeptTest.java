package org.middlemark.petstore.services;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KeptTest {
    private final List<Collection<Integer>> asked = new ArrayList<>();

    @Test
    void whatIsKeptIsNotReadAgainAndTheRestIsReadAtOnce() {
        Kept<Integer, String> kept = kept(Duration.ofDays(1));
        assertEquals(Map.of(1, "1"), kept.find(List.of(1), this::read));
        assertEquals(Map.of(1, "1", 2, "2", 3, "3"), kept.find(List.of(1, 2, 3), this::read));
        assertEquals(List.of(List.of(1), List.of(2, 3)), asked);
    }

    @Test
    void withoutAnAgeEverythingIsReadEachTime() {
        Kept<Integer, String> kept = kept(Duration.ZERO);
        kept.find(List.of(1), this::read);
        kept.find(List.of(1), this::read);
        assertEquals(List.of(List.of(1), List.of(1)), asked);
    }

    @Test
    void whatDoesNotExistIsLookedForAgain() {
        Kept<Integer, String> kept = kept(Duration.ofDays(1));
        assertEquals(Map.of(), kept.find(List.of(-1), this::read));
        assertEquals(Map.of(), kept.find(List.of(-1), this::read));
        assertEquals(List.of(List.of(-1), List.of(-1)), asked);
    }

    private static Kept<Integer, String> kept(Duration age) {
        return new Kept<>(age, Integer::valueOf);
    }

    private List<String> read(Collection<Integer> numbers) {
        asked.add(List.copyOf(numbers));
        return numbers.stream().filter(number -> number > 0).map(String::valueOf).toList();
    }
}
