// Command petstore runs the shop: its pages, its web service or both, as MM_ROLE says.
package main

import "middlemark/process"

func main() { process.Main(run) }
