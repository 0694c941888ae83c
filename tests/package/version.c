/* Prints the version of the shared library. */
#include <hkpd.h>
#include <stdio.h>

int main(void) { return puts(hkpd_version()) < 0; }
