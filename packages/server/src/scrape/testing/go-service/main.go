// A Go service with net/http/pprof for the tests of scraping. It works, allocates and waits all the time. With a certificate, it serves TLS
// and requires the user "scraper" with the password "secret". It prints its address, and ends when its standard input ends.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime"
	"sync"
	"time"
)

var kept [][]byte

func burnCycles() uint64 {
	sum := uint64(1)
	for i := uint64(0); i < 1_000_000; i++ {
		sum = sum*31 + i
	}
	return sum
}

func allocateBuffers() {
	for i := 0; i < 100; i++ {
		kept = append(kept, make([]byte, 10_000))
	}
	if len(kept) > 1000 {
		kept = nil
	}
}

func contend(lock *sync.Mutex) {
	for {
		lock.Lock()
		time.Sleep(time.Millisecond)
		lock.Unlock()
		time.Sleep(time.Millisecond)
	}
}

func authorized(next http.Handler) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		if user, password, _ := request.BasicAuth(); user != "scraper" || password != "secret" {
			http.Error(response, "unauthorized", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(response, request)
	})
}

func main() {
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	runtime.MemProfileRate = 4096
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	var lock sync.Mutex
	for i := 0; i < 3; i++ {
		go contend(&lock)
	}
	go func() {
		for {
			burnCycles()
			allocateBuffers()
			time.Sleep(5 * time.Millisecond)
		}
	}()
	fmt.Println(listener.Addr())
	go func() {
		if len(os.Args) == 3 {
			err = http.ServeTLS(listener, authorized(http.DefaultServeMux), os.Args[1], os.Args[2])
		} else {
			err = http.Serve(listener, nil)
		}
		panic(err)
	}()
	io.Copy(io.Discard, os.Stdin)
}
