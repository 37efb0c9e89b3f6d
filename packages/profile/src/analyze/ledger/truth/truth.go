// Program truth does one thing at a time, each in a region of its own, and prints how long each took.
package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type part struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Nanos int64  `json:"nanos"`
}

var parts []part

func timed(ctx context.Context, name, kind string, work func()) {
	trace.WithRegion(ctx, name, func() {
		begin := time.Now()
		work()
		parts = append(parts, part{name, kind, time.Since(begin).Nanoseconds()})
	})
}

var sink int

//go:noinline
func burn(length time.Duration) {
	for end := time.Now().Add(length); time.Now().Before(end); {
		for i := 0; i < 1000; i++ {
			sink += i * i
		}
	}
}

func holdLock(lock *sync.Mutex, length time.Duration) {
	held := make(chan struct{})
	go func() {
		lock.Lock()
		close(held)
		time.Sleep(length)
		lock.Unlock()
	}()
	<-held
}

func main() {
	file, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(file); err != nil {
		panic(err)
	}
	ctx, task := trace.NewTask(context.Background(), "request")
	timed(ctx, "burn", "own-cpu", func() { burn(200 * time.Millisecond) })
	timed(ctx, "sleep", "io", func() { time.Sleep(100 * time.Millisecond) })
	var lock sync.Mutex
	holdLock(&lock, 150*time.Millisecond)
	timed(ctx, "lock", "lock", func() { lock.Lock(); lock.Unlock() })
	queue := make(chan int)
	go func() { time.Sleep(120 * time.Millisecond); queue <- 1 }()
	timed(ctx, "channel", "lock", func() { <-queue })
	reader, writer, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	go func() { time.Sleep(80 * time.Millisecond); writer.Write([]byte{1}); writer.Close() }()
	timed(ctx, "read", "io", func() { io.ReadAll(reader) })
	// One processor, and another goroutine that uses it.
	before := runtime.GOMAXPROCS(1)
	go burn(100 * time.Millisecond)
	timed(ctx, "starved", "runnable", func() { runtime.Gosched() })
	runtime.GOMAXPROCS(before)
	task.End()
	trace.Stop()
	if err := file.Close(); err != nil {
		panic(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(parts); err != nil {
		panic(err)
	}
}
