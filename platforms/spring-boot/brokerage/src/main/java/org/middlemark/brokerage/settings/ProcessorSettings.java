package org.middlemark.brokerage.settings;

/** What concerns processors of queued orders. This application has none, but reads and shows the settings as every one does. */
public record ProcessorSettings(int batch, int concurrency, int seconds, int timeoutSeconds) {

    static ProcessorSettings read(Variables variables) throws WrongSetting {
        return new ProcessorSettings(variables.number("MM_PROCESSOR_BATCH", 5, 1), variables.number("MM_PROCESSOR_CONCURRENCY", 15, 1),
                variables.number("MM_PROCESSOR_SECONDS", 1, 1), variables.number("MM_PROCESSOR_TIMEOUT_SECONDS", 15, 1));
    }
}
