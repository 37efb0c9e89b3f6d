// Skips values of any class that the metadata describes. Each class is compiled to a short program at its first use. Adjacent
// integers or bytes are one step. A list of values with integers only (stack frames, the bulk of a recording) is a single
// loop.
import { NONE } from '../../../model/columns/brand.ts'
import type { Cursor } from './cursor.ts'
import type { JfrField, Metadata } from './metadata.ts'

/** Steps are pairs of a code and an operand. */
export const LayoutStep = {
  /** Operand: the number of integers. */
  integers: 0,
  /** Operand: the number of bytes. */
  bytes: 1,
  text: 2,
  /** Operand: the class of the value. */
  value: 3,
  /** Lists of integers, of items with a fixed number of bytes, of strings, and of values of a class. */
  integerList: 4,
  byteList: 5,
  textList: 6,
  valueList: 7,
} as const

interface Program {
  readonly steps: Int32Array
  /** The minimum number of bytes of a value. */
  readonly minBytes: number
  /** The number of integers, if a value has nothing else; otherwise NONE. */
  readonly integersOnly: number
}

/** The maximum nesting depth. Real classes nest up to 4 deep. It also limits values that contain lists of their own class. */
const MAX_DEPTH = 32

export class Layouts {
  readonly metadata: Metadata
  readonly #programs: (Program | undefined)[]

  constructor(metadata: Metadata) {
    this.metadata = metadata
    this.#programs = new Array<Program | undefined>(metadata.classes.length)
  }

  /** Skips one value of the class. */
  skip(cursor: Cursor, type: number, depth = 0): void {
    if (depth > MAX_DEPTH) cursor.fail(`values nested deeper than ${MAX_DEPTH}`)
    const { steps } = this.#program(cursor, type)
    for (let i = 0; i < steps.length; i += 2) this.skipStep(cursor, steps[i], steps[i + 1], depth)
  }

  skipStep(cursor: Cursor, step: number, of: number, depth = 0): void {
    switch (step) {
      case LayoutStep.integers:
        return cursor.skipLongs(of)
      case LayoutStep.bytes:
        return cursor.skip(of, 'a value')
      case LayoutStep.text:
        return cursor.skipText()
      case LayoutStep.value:
        return this.skip(cursor, of, depth + 1)
      case LayoutStep.integerList:
        return cursor.skipLongs(cursor.count(1))
      case LayoutStep.byteList:
        return cursor.skip(cursor.count(of) * of, 'a list')
      case LayoutStep.textList:
        for (let left = cursor.count(1); left > 0; left--) cursor.skipText()
        return
      case LayoutStep.valueList:
        return this.#skipValues(cursor, of, depth + 1)
    }
  }

  /** The step for one field. */
  stepOf(cursor: Cursor, field: JfrField): readonly [step: number, of: number] {
    const { type, constant, array } = field
    if (constant) return array ? [LayoutStep.integerList, 0] : [LayoutStep.integers, 1]
    if (type === NONE) return cursor.fail(`the field ${JSON.stringify(field.name)} has a class that is not described`)
    switch (this.metadata.classes[type].kind) {
      case 'integer':
        return array ? [LayoutStep.integerList, 0] : [LayoutStep.integers, 1]
      case 'byte':
        return [array ? LayoutStep.byteList : LayoutStep.bytes, 1]
      case 'float':
        return [array ? LayoutStep.byteList : LayoutStep.bytes, 4]
      case 'double':
        return [array ? LayoutStep.byteList : LayoutStep.bytes, 8]
      case 'text':
        return [array ? LayoutStep.textList : LayoutStep.text, 0]
      case 'fields':
        return [array ? LayoutStep.valueList : LayoutStep.value, type]
    }
  }

  #skipValues(cursor: Cursor, type: number, depth: number): void {
    const { minBytes, integersOnly } = this.#program(cursor, type)
    // Values without content take no bytes, so there is only the count to skip.
    if (minBytes === 0) return cursor.skipLongs(1)
    const count = cursor.count(minBytes)
    if (integersOnly !== NONE) return cursor.skipLongs(count * integersOnly)
    for (let left = count; left > 0; left--) this.skip(cursor, type, depth)
  }

  #program(cursor: Cursor, type: number): Program {
    return (this.#programs[type] ??= this.#compile(cursor, type, 0))
  }

  #compile(cursor: Cursor, type: number, depth: number): Program {
    const { kind, name, fields } = this.metadata.classes[type]
    if (depth > MAX_DEPTH) cursor.fail(`the class ${name} contains itself`)
    // A class of a plain kind has the same layout as a field of it.
    const parts = kind === 'fields' ? fields : [{ name, type, constant: false, array: false } satisfies JfrField]
    const steps: number[] = []
    let minBytes = 0
    let integers = 0
    for (const part of parts) {
      const [step, of] = this.stepOf(cursor, part)
      let size = step === LayoutStep.integers || step === LayoutStep.bytes ? of : 1
      if (step === LayoutStep.integers) integers++
      if (step === LayoutStep.value) {
        size = (this.#programs[of] ??= this.#compile(cursor, of, depth + 1)).minBytes
        // Steps into empty values would cost time without consuming input.
        if (size === 0) continue
      }
      minBytes += size
      const last = steps.length - 2
      if (last >= 0 && steps[last] === step && (step === LayoutStep.integers || step === LayoutStep.bytes))
        steps[last + 1] += of
      else steps.push(step, of)
    }
    return {
      steps: Int32Array.from(steps),
      minBytes,
      integersOnly: integers === parts.length && integers > 0 ? integers : NONE,
    }
  }
}
