// Every header once more: what forgot to be inline is now in two translation units.
#include "every_header.hpp"

int main() {}
