// SPDX-License-Identifier: BSD-2-Clause

// go-stacks SECONDS: call stacks of Go, each function with one known way to it.
package main

import (
	"os"
	"sort"
	"strconv"
	"sync"
	"time"
)

var kept uint64
var until time.Time
var list [][]byte

//go:noinline
func spin(state uint64) uint64 {
	for i := 0; i < 100000; i++ {
		state = state*6364136223846793005 + 1442695040888963407
	}
	return state
}

//go:noinline
func even(depth int) {
	if depth > 0 {
		odd(depth - 1)
	} else {
		evenEnd()
	}
	kept++
}

//go:noinline
func odd(depth int) {
	even(depth - 1)
	kept += 2
}

//go:noinline
func evenEnd() {
	kept += spin(kept)
}

//go:noinline
func allocates() {
	list = make([][]byte, 0)
	for i := 0; i < 2000; i++ {
		list = append(list, make([]byte, 10+i%3000))
	}
}

// A frame too large for the stack there is: the runtime copies it to a larger one.
//
//go:noinline
func grows(depth int) byte {
	var large [4096]byte

	large[depth] = byte(depth)
	if depth == 0 {
		return large[kept%4096]
	}
	return grows(depth-1) + large[depth]
}

type byValue []uint64

func (a byValue) Len() int           { return len(a) }
func (a byValue) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a byValue) Less(i, j int) bool { return a[i] < a[j] }

//go:noinline
func sorts() {
	values := make(byValue, 10000)
	for i := range values {
		values[i] = spin1(uint64(i))
	}
	sort.Sort(values)
}

//go:noinline
func spin1(state uint64) uint64 {
	return state*6364136223846793005 + 1442695040888963407
}

//go:noinline
func copies() {
	from, to := make([]byte, 1<<20), make([]byte, 1<<20)
	for i := 0; i < 20; i++ {
		copy(to, from)
	}
}

//go:noinline
func deferred() {
	defer func() {
		recover()
		evenEnd()
	}()
	panic("caught")
}

//go:noinline
func goes(work func()) {
	for time.Now().Before(until) {
		work()
	}
}

func main() {
	seconds, _ := strconv.ParseFloat(os.Args[1], 64)
	until = time.Now().Add(time.Duration(seconds * 1e9))
	var all sync.WaitGroup
	for _, work := range []func(){func() { even(40) }, allocates, sorts, copies, deferred,
		func() {
			done := make(chan bool)
			go func() { grows(100); done <- true }()
			<-done
		}} {
		work := work
		all.Add(1)
		go func() { goes(work); all.Done() }()
	}
	all.Wait()
}
