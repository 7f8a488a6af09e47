// Does the model fit?  CGO_CFLAGS=-IINCLUDEDIR CGO_LDFLAGS=-LLIBDIR go run fit.go
package main

/*
#cgo LDFLAGS: -lgpuplan
#include <stdlib.h>
#include <gpuplan.h>
*/
import "C"

import (
	"encoding/json"
	"fmt"
	"os"
	"unsafe"
)

// answer gives the answer to a request, which anything that encodes to JSON may be.
func answer(request map[string]any) (map[string]any, error) {
	text, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	asked := C.CString(string(text))
	defer C.free(unsafe.Pointer(asked))
	answered := C.gpuplan_answer(asked)
	defer C.gpuplan_free(answered)
	var fields map[string]any
	err = json.Unmarshal([]byte(C.GoString(answered)), &fields)
	return fields, err
}

func main() {
	model := "llama-3-8b"
	if len(os.Args) > 1 {
		model = os.Args[1]
	}
	found, err := answer(map[string]any{"question": "fit", "model": model,
		"cluster": map[string]any{"gpu": "H100", "gpus": 8}, "recipe": map[string]any{"zero": 3},
		"parallelism": map[string]any{"data": 8}})
	if err != nil || found["error"] != nil {
		fmt.Fprintln(os.Stderr, err, found["error"])
		os.Exit(2)
	}
	fmt.Printf("%s fits: %v\n", model, found["fits"])
}
