// A shop that works for the seconds of SHOP_SECONDS, half of the time.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/grafana/pyroscope-go"
)

func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		last := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			last, row[j] = row[j], min(row[j]+1, row[j-1]+1, last+cost)
		}
	}
	return row[len(b)]
}

func searchProducts() int {
	best := 1000
	for i := 0; i < 20_000; i++ {
		best = min(best, editDistance("garden chair", fmt.Sprintf("product %d", i)))
	}
	return best
}

func priceCart() (sum float64) {
	for i := 0; i < 1_000_000; i++ {
		sum += float64(i*107%997) / 100
	}
	return sum
}

func main() {
	SNIPPET
	if err != nil {
		panic(err)
	}
	seconds, _ := strconv.Atoi(os.Getenv("SHOP_SECONDS"))
	for end := time.Now().Add(time.Duration(seconds) * time.Second); time.Now().Before(end); {
		searchProducts()
		priceCart()
		time.Sleep(5 * time.Millisecond)
	}
	profiler.Stop()
}
