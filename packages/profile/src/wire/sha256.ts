// SHA-256 (FIPS 180-4), for build ids and content hashes where no synchronous crypto is available.

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes, and of the square roots of the first 8.
const PRIMES = firstPrimes(64)
const ROUND = Int32Array.from(PRIMES, prime => fractionBits(Math.cbrt(prime)))
const INITIAL = Int32Array.from(PRIMES.slice(0, 8), prime => fractionBits(Math.sqrt(prime)))

function firstPrimes(count: number): number[] {
  const primes: number[] = []
  for (let n = 2; primes.length < count; n++) if (primes.every(prime => n % prime !== 0)) primes.push(n)
  return primes
}

// Exact, because the roots are below 8, so a double holds more than 32 bits of their fractions.
function fractionBits(root: number): number {
  return ((root - Math.floor(root)) * 0x1_0000_0000) | 0
}

// Shared by all hashes, because hashing never pauses within a block.
const schedule = new Int32Array(64)

export class Sha256 {
  private readonly state = INITIAL.slice()
  private readonly block = new Uint8Array(64)
  private filled = 0
  private length = 0

  update(bytes: Uint8Array): this {
    this.length += bytes.length
    let from = 0
    if (this.filled > 0) {
      from = Math.min(64 - this.filled, bytes.length)
      this.block.set(bytes.subarray(0, from), this.filled)
      this.filled += from
      if (this.filled < 64) return this
      compress(this.state, this.block, 0)
    }
    for (; from + 64 <= bytes.length; from += 64) compress(this.state, bytes, from)
    this.block.set(bytes.subarray(from))
    this.filled = bytes.length - from
    return this
  }

  /** Returns the hash of all updates. The object must not be used afterwards. */
  digest(): Uint8Array {
    const { state, block } = this
    block[this.filled] = 0x80
    block.fill(0, this.filled + 1)
    if (this.filled >= 56) {
      compress(state, block, 0)
      block.fill(0)
    }
    const view = new DataView(block.buffer)
    view.setUint32(56, Math.floor(this.length / 0x2000_0000))
    view.setUint32(60, this.length << 3)
    compress(state, block, 0)
    const hash = new DataView(new ArrayBuffer(32))
    for (let i = 0; i < 8; i++) hash.setInt32(i * 4, state[i])
    return new Uint8Array(hash.buffer)
  }
}

export function sha256(bytes: Uint8Array): Uint8Array {
  return new Sha256().update(bytes).digest()
}

function compress(state: Int32Array, bytes: Uint8Array, at: number): void {
  const w = schedule
  for (let i = 0, p = at; i < 16; i++, p += 4) {
    w[i] = (bytes[p] << 24) | (bytes[p + 1] << 16) | (bytes[p + 2] << 8) | bytes[p + 3]
  }
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15]
    const y = w[i - 2]
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0
  }
  let a = state[0]
  let b = state[1]
  let c = state[2]
  let d = state[3]
  let e = state[4]
  let f = state[5]
  let g = state[6]
  let h = state[7]
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const t1 = (h + s1 + (g ^ (e & (f ^ g))) + ROUND[i] + w[i]) | 0
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const t2 = (s0 + ((a & b) | (c & (a | b)))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  state[0] += a
  state[1] += b
  state[2] += c
  state[3] += d
  state[4] += e
  state[5] += f
  state[6] += g
  state[7] += h
}
