package org.middlemark.remoting.client;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.client.proxies.Proxies;
import org.middlemark.remoting.client.proxies.Proxies.Lease;
import org.middlemark.remoting.client.proxies.Proxy;
import org.middlemark.remoting.domain.Codes;
import org.middlemark.remoting.domain.Operation;
import org.middlemark.remoting.domain.Protocol;

/** Calls one after the other, each as soon as the one before has been answered. */
final class Loop implements Runnable {
    private static final int ANSWERED = 0;
    private static final int DIFFERENT = 1;
    /** The outcomes from 2 on. */
    private static final List<Code> REFUSED = List.of(Code.INVALID_INPUT, Codes.UNAUTHENTICATED, Codes.FORBIDDEN,
            Code.UNAVAILABLE, Code.INTERNAL);
    private static final int FIRST_REFUSED = 2;
    private static final int COMPARED_FULLY = 10;

    private final Proxies proxies;
    private final Protocol protocol;
    private final Operation operation;
    private final Request request;
    private final Extent extent;
    private final Records records = new Records();
    private final CompletableFuture<Optional<String>> firstHash = new CompletableFuture<>();
    private Object firstAnswer;
    private volatile boolean isStopped;

    Loop(Proxies proxies, Protocol protocol, Operation operation, Request request, Extent extent) {
        this.proxies = proxies;
        this.protocol = protocol;
        this.operation = operation;
        this.request = request;
        this.extent = extent;
    }

    /**
     * How long a loop lasts.
     *
     * @param nanoseconds no call begins later
     * @param calls no more calls are made
     */
    record Extent(long nanoseconds, long calls) {
        static Extent ofSeconds(int seconds) {
            return new Extent(TimeUnit.SECONDS.toNanos(seconds), Long.MAX_VALUE);
        }

        static Extent ofCalls(int calls) {
            return new Extent(Long.MAX_VALUE, calls);
        }
    }

    /** The records as they come. */
    Records records() {
        return records;
    }

    /** The hash of the first call's answer, after that call; nothing when it was not answered. */
    CompletableFuture<Optional<String>> firstHash() {
        return firstHash;
    }

    /** Ends the loop after the call that has begun. */
    void stop() {
        isStopped = true;
    }

    @Override
    public void run() {
        try (Lease lease = proxies.take(protocol)) {
            long start = System.nanoTime();
            long began = 0;
            for (long number = 0; !isStopped && number < extent.calls() && began < extent.nanoseconds(); number++) {
                call(lease.proxy(), number, began, start);
                began = System.nanoTime() - start;
            }
        } finally {
            firstHash.complete(Optional.empty());
            records.end();
        }
    }

    /** Comparing the answer and reporting the call are no part of its time. */
    private void call(Proxy proxy, long number, long began, long start) {
        Object answer;
        try {
            answer = proxies.call(proxy, () -> request.call(operation, proxy));
        } catch (Refusal refusal) {
            record(began, System.nanoTime() - start - began, refusal);
            return;
        }
        long took = System.nanoTime() - start - began;
        if (firstAnswer == null) {
            firstAnswer = answer;
            firstHash.complete(Optional.of(Answers.hash(answer)));
        }
        boolean isExpected = number % COMPARED_FULLY == 0 ? Answers.isSame(firstAnswer, answer)
                : Answers.isAlike(firstAnswer, answer);
        records.add(began, took, isExpected ? ANSWERED : DIFFERENT, Answers.id(answer));
    }

    private void record(long began, long took, Refusal refusal) {
        firstHash.complete(Optional.empty());
        records.add(began, took, FIRST_REFUSED + REFUSED.indexOf(refusal.code()), 0);
    }
}
