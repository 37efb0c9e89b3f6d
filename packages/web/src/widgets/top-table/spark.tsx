// A small chart of a function over time. Each is a query of its own, so two run at a time and only for visible rows.
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { FrameName, ProfileSource } from '../../api/profile-source.ts'
import { sparkPath } from './table-rows.ts'

const WIDTH = 56
const HEIGHT = 16
const CONCURRENT = 2

const waiting: (() => Promise<void>)[] = []
let running = 0

function enqueue(task: () => Promise<void>): void {
  waiting.push(task)
  runNext()
}

function runNext(): void {
  if (running >= CONCURRENT) return
  const task = waiting.shift()
  if (task === undefined) return
  running++
  void task().finally(() => {
    running--
    runNext()
  })
}

export interface SparkProps {
  readonly of: FrameName
  readonly load: NonNullable<ProfileSource['overTime']>
}

export function Spark({ of, load }: SparkProps): JSX.Element {
  const [values, setValues] = useState<readonly number[]>([])
  useEffect(() => {
    const ends = new AbortController()
    enqueue(async () => {
      if (ends.signal.aborted) return
      // Without values the cell stays empty. The table is complete without them.
      const loaded = await load(of, ends.signal).catch(() => [])
      if (!ends.signal.aborted) setValues(loaded)
    })
    return () => ends.abort()
  }, [of.name, of.file, load])
  return (
    <svg class="spark" width={WIDTH} height={HEIGHT} aria-hidden="true">
      <path d={sparkPath(values, WIDTH, HEIGHT)} />
    </svg>
  )
}
