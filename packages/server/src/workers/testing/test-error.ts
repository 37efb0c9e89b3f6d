/** An error with fields, for tests of errors that cross threads. */
export class TestError extends Error {
  override readonly name = 'TestError'
  readonly fault: string
  readonly position: number

  constructor(fault: string, position: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.fault = fault
    this.position = position
  }

  get place(): string {
    return `${this.fault} at ${this.position}`
  }
}
