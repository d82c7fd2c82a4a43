// Command brokerage runs the brokerage: web tier, services or both, as MM_ROLE says.
package main

import "middlemark/process"

func main() { process.Main(run) }
