// A column of 64-bit numbers whose final length is not known.

export class GrowingLongs {
  array = new BigInt64Array(64)
  length = 0

  push(value: bigint): void {
    if (this.length === this.array.length) {
      const grown = new BigInt64Array(this.array.length * 2)
      grown.set(this.array)
      this.array = grown
    }
    this.array[this.length++] = value
  }
}
