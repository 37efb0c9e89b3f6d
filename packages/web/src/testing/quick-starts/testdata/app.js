// A shop that works for the seconds of SHOP_SECONDS, half of the time.
function editDistance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]
}

function searchProducts() {
  let best = Infinity
  for (let i = 0; i < 3000; i++) best = Math.min(best, editDistance('garden chair', `product ${i}`))
  return best
}

function priceCart() {
  let sum = 0
  for (let i = 0; i < 200_000; i++) sum += Math.round((i * 107) % 997) / 100
  return sum
}

const end = Date.now() + 1000 * Number(process.env.SHOP_SECONDS)

function serve() {
  searchProducts()
  priceCart()
  if (Date.now() < end) setTimeout(serve, 10)
}
serve()
