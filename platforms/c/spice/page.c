/* The CGI program of SPICE (RFC 3875): it writes the page, which is a constant in it. page.inc holds its bytes. */

#include <stdio.h>
#include <stdlib.h>

static const unsigned char page[] = {
#include "page.inc"
};

int main(void)
{
	int head = printf("Content-Type: text/html; charset=utf-8\n"
			  "Content-Length: %zu\n"
			  "\n",
			  sizeof page);

	if (head < 0 || fwrite(page, sizeof page, 1, stdout) != 1 || fflush(stdout) != 0)
		return EXIT_FAILURE;
	return EXIT_SUCCESS;
}
