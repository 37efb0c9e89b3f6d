// Extracts chosen fields from values of one class and skips the others, in whatever order the metadata lists them. The results
// stay in `values` until the next run; no objects are created.
import { NONE } from '../../../model/columns/brand.ts'
import type { Cursor } from './cursor.ts'
import type { Layouts } from './layout.ts'
import { LayoutStep } from './layout.ts'

export type SlotForm =
  /** The class has no such field. */
  | 'absent'
  /** `values` has the halves of an integer. Bytes and booleans count as integers. */
  | 'integer'
  /** `values` has the halves of a key for the constants of `types`. */
  | 'constant'
  /** `values` has the position of the value, which is a string or one of `types`. */
  | 'inline'
  /** Like inline, but a list of values or of keys. */
  | 'list'
  | 'constantList'

/** Columns: step, operand, slot. For integers the operand columns are the start of their places and their number. */
const STRIDE = 3

export class Extractor {
  /** Two ints for each slot. */
  readonly values: Int32Array
  readonly forms: readonly SlotForm[]
  /** The class of each slot's field; NONE if there is none. */
  readonly types: readonly number[]
  readonly #layouts: Layouts
  readonly #steps: Int32Array
  /** For each integer, its index in `values`. Integers that no slot needs go after the slots. */
  readonly #places: Int32Array
  /** Lists from this step on are not skipped. */
  readonly #stepsOver: number
  /** The number of integers, if a value has nothing else; otherwise NONE. */
  readonly integersOnly: number

  /**
   * Creates a slot for each list of names, filled by the first name that the class has. `until` sets where a run ends: after
   * the value, after the last requested field, or right before that field.
   */
  constructor(
    layouts: Layouts,
    cursor: Cursor,
    type: number,
    slots: readonly (string | readonly string[])[],
    until: 'whole' | 'last' | 'before last',
  ) {
    this.#layouts = layouts
    this.values = new Int32Array(2 * slots.length + 2)
    const { fields } = layouts.metadata.classes[type]
    const chosen = slots.map(names => {
      const name = [names].flat().find(wanted => fields.some(field => field.name === wanted))
      return name === undefined ? NONE : fields.findIndex(field => field.name === name)
    })
    this.types = chosen.map(i => (i === NONE ? NONE : fields[i].type))
    const forms: SlotForm[] = slots.map(() => 'absent')
    const steps: number[] = []
    const places: number[] = []
    const last = until === 'whole' ? fields.length - 1 : Math.max(NONE, ...chosen)
    for (let i = 0; i <= last; i++) {
      const [step, of] = layouts.stepOf(cursor, fields[i])
      const slot = chosen.indexOf(i)
      if (slot !== NONE) forms[slot] = formOf(step, of, fields[i].constant, fields[i].array)
      if (step !== LayoutStep.integers) {
        steps.push(step, of, slot)
        continue
      }
      const end = steps.length - STRIDE
      if (end >= 0 && steps[end] === LayoutStep.integers) steps[end + 2]++
      else steps.push(step, places.length, 1)
      places.push(2 * (slot === NONE ? slots.length : slot))
    }
    this.forms = forms
    this.#steps = Int32Array.from(steps)
    this.#places = Int32Array.from(places)
    this.integersOnly = steps.length === STRIDE && steps[0] === LayoutStep.integers ? places.length : NONE
    this.#stepsOver =
      until === 'before last' && isList(forms[chosen.indexOf(last)]) ? steps.length - STRIDE : steps.length
  }

  run(cursor: Cursor): void {
    const steps = this.#steps
    const { values } = this
    // Frames and most events have only integers.
    if (this.integersOnly !== NONE) return cursor.longs(values, this.#places, 0, this.integersOnly)
    for (let i = 0; i < steps.length; i += STRIDE) {
      const step = steps[i]
      const of = steps[i + 1]
      const slot = steps[i + 2]
      if (step === LayoutStep.integers) cursor.longs(values, this.#places, of, of + slot)
      else if (slot !== NONE && step === LayoutStep.bytes && of === 1) {
        values[2 * slot] = cursor.byte()
        values[2 * slot + 1] = 0
      } else {
        if (slot !== NONE) values[2 * slot] = cursor.pos
        if (i < this.#stepsOver) this.#layouts.skipStep(cursor, step, of)
      }
    }
  }
}

function isList(form: SlotForm | undefined): boolean {
  return form === 'list' || form === 'constantList'
}

function formOf(step: number, of: number, constant: boolean, array: boolean): SlotForm {
  if (array) return constant ? 'constantList' : 'list'
  if (constant) return 'constant'
  if (step === LayoutStep.integers || (step === LayoutStep.bytes && of === 1)) return 'integer'
  // Floats and doubles are never requested.
  return step === LayoutStep.bytes ? 'absent' : 'inline'
}
