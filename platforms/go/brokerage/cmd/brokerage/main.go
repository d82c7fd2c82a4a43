// Command brokerage runs the brokerage: web tier, services or both, as MM_ROLE says.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"middlemark/brokerage/settings"
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
	_, _ = fmt.Fprintf(log, "brokerage: %v\n", err) // there is nowhere else to complain
	var wrong *settings.Error
	if errors.As(err, &wrong) {
		return 2
	}
	return 1
}
