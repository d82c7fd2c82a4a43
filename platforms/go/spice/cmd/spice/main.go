// Command spice answers with files, a handler's page and the pages of a template engine (specs/spice).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	os.Exit(exitStatus(run(ctx, os.Getenv, os.Stderr), os.Stderr))
}

// exitStatus says on log what was wrong: 2 for the settings, 1 for anything else.
func exitStatus(err error, log io.Writer) int {
	if err == nil {
		return 0
	}
	_, _ = fmt.Fprintln(log, err) // there is nowhere else to say it
	var wrong *settingError
	if errors.As(err, &wrong) {
		return 2
	}
	return 1
}
