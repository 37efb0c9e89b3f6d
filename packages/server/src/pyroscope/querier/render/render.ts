// The responses of /render and /render-diff: a flame graph with its timeline. Numbers are written exactly, whatever
// their size.
import type { FlameLevels } from './flame-levels.ts'
import { flameLevels } from './flame-levels.ts'
import type { QuerierContext, Selected } from '../part-queries.ts'
import { rangeOfMillis } from '../part-queries.ts'
import type { PyroscopeType } from '../profile-type.ts'
import { parseTypeId } from '../profile-type.ts'
import type { SummedGroup } from '../select-series.ts'
import { checkAggregation, summedGroups } from '../select-series.ts'
import { DEFAULT_NODES, diffLevels, dotOf, nodesOf, treeOf } from '../select-stacks.ts'
import type { TimeSteps } from '../time-steps.ts'
import { timeSteps } from '../time-steps.ts'

export interface RenderRequest {
  readonly typeId: string
  readonly selector: string
  /** Milliseconds. */
  readonly start: bigint
  readonly end: bigint
  readonly maxNodes: bigint | undefined
  readonly groupBy: readonly string[]
  readonly aggregation: string
}

/** The maximum number of points in a timeline, and the shortest step. */
const MAX_POINTS = 1500n
const MIN_SECONDS = 15n

export async function render(context: QuerierContext, request: RenderRequest): Promise<string> {
  const selected = selectedIn(request)
  const average = checkAggregation(request.aggregation)
  const levels = flameLevels(await treeOf(context, selected, nodesOf(context, request.maxNodes, DEFAULT_NODES)))
  const line = new TimeLine(request, average)
  const whole = await summedGroups(context, { ...selected, ...line.range }, line.steps, [])
  const parts = [
    '"version":1',
    `"flamebearer":${flamebearer(levels, levels.totals[0])}`,
    `"metadata":${metadata(selected.type, 'single')}`,
    `"timeline":${line.text([...whole.values()][0])}`,
  ]
  if (request.groupBy.length > 0) {
    const groups = await summedGroups(context, { ...selected, ...line.range }, line.steps, request.groupBy)
    const each = [...groups.values()].map(
      group => `${JSON.stringify([...group.labels.values()].join(',') || '')}:${line.text(group)}`,
    )
    parts.push(`"groups":{${each.join(',')}}`)
  }
  return `{${parts.join(',')}}`
}

export async function renderDiff(context: QuerierContext, left: RenderRequest, right: RenderRequest): Promise<string> {
  const [before, after] = [selectedIn(left), selectedIn(right)]
  const levels = await diffLevels(context, before, after, nodesOf(context, left.maxNodes, DEFAULT_NODES))
  const [leftTicks, rightTicks] = levels.totals
  return (
    `{"version":1,"flamebearer":${flamebearer(levels, leftTicks + rightTicks)},` +
    `"metadata":${metadata(before.type, 'double')},"leftTicks":${leftTicks},"rightTicks":${rightTicks}}`
  )
}

export async function renderDot(context: QuerierContext, request: RenderRequest): Promise<string> {
  return await dotOf(context, selectedIn(request), request.maxNodes)
}

function selectedIn({ typeId, selector, start, end }: RenderRequest): Selected {
  return { type: parseTypeId(typeId), selector, ...rangeOfMillis(start, end) }
}

function flamebearer({ names, levels, maxSelf }: FlameLevels, ticks: bigint): string {
  const rows = levels.map(values => `[${values.join(',')}]`)
  return `{"names":${JSON.stringify(names)},"levels":[${rows.join(',')}],"numTicks":${ticks},"maxSelf":${maxSelf}}`
}

/** Time is shown as a number of samples at a rate of 1,000,000,000 per second. */
function metadata({ sampleType, sampleUnit }: PyroscopeType, format: 'single' | 'double'): string {
  const isTime = sampleUnit === 'nanoseconds'
  const units = isTime ? 'samples' : sampleUnit === 'count' ? 'objects' : sampleUnit
  const sampleRate = isTime ? 1_000_000_000 : 100
  return JSON.stringify({ format, spyName: 'unknown', sampleRate, units, name: sampleType })
}

/** Points from the start of the range. Points without profiles are zero. */
class TimeLine {
  readonly steps: TimeSteps
  readonly #start: bigint
  readonly #seconds: bigint
  readonly #points: number
  readonly #average: boolean

  constructor({ start, end }: RenderRequest, average: boolean) {
    const seconds = (end - start) / 1000n / MAX_POINTS + 1n
    this.#seconds = seconds < MIN_SECONDS ? MIN_SECONDS : seconds
    this.#start = start
    this.#points = Number((end - start) / (this.#seconds * 1000n)) + 1
    this.#average = average
    this.steps = timeSteps(start, end, Number(this.#seconds))
  }

  get range(): { readonly from: bigint; readonly to: bigint } {
    return { from: this.steps.from, to: this.steps.to }
  }

  text(group: SummedGroup | undefined): string {
    const samples = Array.from({ length: this.#points }, (_, i) => {
      const point = group?.points.get(this.#start + BigInt(i) * this.#seconds * 1000n)
      if (point === undefined) return '0'
      return this.#average ? String(Number(point.sum) / Math.max(point.profiles, 1)) : String(point.sum)
    })
    const startTime = this.#start / 1000n
    return `{"startTime":${startTime},"samples":[${samples.join(',')}],"durationDelta":${this.#seconds},"watermarks":{}}`
  }
}
