// Command remoting runs the client, the service or both, as MM_ROLE says.
package main

import "middlemark/process"

func main() { process.Main(run) }
