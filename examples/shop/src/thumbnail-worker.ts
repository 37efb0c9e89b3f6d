// A worker thread that draws pictures of products: mostly arithmetic.
import { parentPort } from 'node:worker_threads'

const SIZE = 160

parentPort?.on('message', ({ id, product }: { readonly id: number; readonly product: number }) => {
  parentPort?.postMessage({ id, pixels: drawThumbnail(product).length })
})

function drawThumbnail(product: number): Uint8Array {
  const pixels = new Uint8Array(SIZE * SIZE)
  for (let y = 0; y < SIZE; y++) {
    for (let x = 0; x < SIZE; x++) pixels[y * SIZE + x] = shadePixel(x / SIZE - 0.5, y / SIZE - 0.5, product)
  }
  return pixels
}

function shadePixel(x: number, y: number, product: number): number {
  let [a, b] = [x * 2, y * 2]
  const angle = product / 100
  for (let i = 0; i < 200; i++) {
    const next = a * a - b * b + Math.cos(angle) * 0.78
    b = 2 * a * b + Math.sin(angle) * 0.78
    a = next
    if (a * a + b * b > 4) return i
  }
  return 200
}
