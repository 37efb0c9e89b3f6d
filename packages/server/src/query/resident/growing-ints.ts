// Ints whose number is not known beforehand.

export class GrowingInts {
  array: Int32Array
  length = 0

  constructor(capacity = 1024) {
    this.array = new Int32Array(capacity)
  }

  push(value: number): void {
    if (this.length === this.array.length) this.reserve(1)
    this.array[this.length++] = value
  }

  reserve(more: number): void {
    const need = this.length + more
    if (need <= this.array.length) return
    const grown = new Int32Array(Math.max(need, Math.ceil(this.array.length * 1.5)))
    grown.set(this.array.subarray(0, this.length))
    this.array = grown
  }
}
