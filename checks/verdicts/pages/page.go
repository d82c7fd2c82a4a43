// A page for about 1 ms of CPU time: page PORT [MORE], MORE percent more work.
package main

import (
	"crypto/sha256"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
)

const rounds = 1500

func main() {
	more := 0.0
	if len(os.Args) > 2 {
		more, _ = strconv.ParseFloat(os.Args[2], 64)
	}
	blocks := int(rounds * (1 + more/100))
	page := func(w http.ResponseWriter, _ *http.Request) {
		block := make([]byte, 1024)
		for range blocks {
			sum := sha256.Sum256(block)
			copy(block, sum[:])
		}
		fmt.Fprintf(w, "<html><body><h1>%02x</h1></body></html>", block[0]&1)
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], http.HandlerFunc(page)))
}
