// Command spice answers with files, a handler's page and the pages of a template engine (specs/spice).
package main

import "middlemark/process"

func main() { process.Main(run) }
