package main

import "middlemark/process"

func about(read settings) process.About {
	var notDefault []process.NotDefault
	if read.tlsPort != 0 {
		notDefault = append(notDefault, process.NotDefault{
			What: "HTTP/2 over TLS", Value: "off", Why: "both listeners speak the same HTTP; what is measured is HTTP/1",
		})
	}
	return process.NewAbout("spice", []string{"web-server"}, read.texts(), notDefault)
}
