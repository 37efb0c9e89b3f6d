// A flame graph that is refreshed until Ctrl-C. If the server is unreachable, the last result stays, with its time.
import { setTimeout as pause } from 'node:timers/promises'
import type { FlameGraphResponse } from '@hearth/client'
import type { Context } from '../context.ts'
import { countOf } from '../terminal/count-text.ts'
import { flameLines } from '../render/flame-lines.ts'
import { clipped, printable } from '../terminal/printable.ts'
import type { RemoteNames } from './remote-tree.ts'
import { remoteTree } from './remote-tree.ts'
import { Screen } from '../terminal/screen.ts'
import { sumText } from '../files/select-profiles.ts'
import type { ColorDepth } from '../terminal/terminal.ts'

export interface LiveFlame extends RemoteNames {
  /** The first line. */
  readonly title: string
  readonly colors: ColorDepth
  readonly minPercent: number | undefined
  /** The refresh interval. */
  readonly everyMs: number
  query(signal: AbortSignal): Promise<FlameGraphResponse>
}

/** A server that accepts connections but does not respond counts as unreachable. */
const TIMEOUT_MS = 20_000
/** The title, an empty line, and the status line. */
const OTHER_LINES = 3

/** Throws any error of the first request, and later only permanent ones. */
export async function liveFlame(view: LiveFlame, context: Context): Promise<void> {
  const ended = new AbortController()
  const forget = context.onStop(() => ended.abort())
  const screen = new Screen(context.stdout)
  let shown: Shown | undefined
  const resized = (): void => {
    // The next draw notices that the terminal is gone.
    if (shown !== undefined) void screen.draw(linesOf(shown, view, screen)).catch(() => undefined)
  }
  context.stdout.on?.('resize', resized)
  try {
    while (!ended.signal.aborted) {
      try {
        const pending = view.query(AbortSignal.any([ended.signal, AbortSignal.timeout(TIMEOUT_MS)]))
        const response = await (shown === undefined
          ? context.progress.during(`querying ${view.title}`, pending)
          : pending)
        shown = { response, time: clock(), fault: undefined }
      } catch (error) {
        if (ended.signal.aborted) return
        const fault = passing(error)
        if (shown === undefined || fault === undefined) throw error
        shown = { ...shown, fault }
      }
      context.progress.done()
      await screen.draw(linesOf(shown, view, screen))
      await pause(view.everyMs, undefined, { signal: ended.signal }).catch(() => undefined)
    }
  } finally {
    context.stdout.off?.('resize', resized)
    forget()
    await screen.close()
  }
}

interface Shown {
  readonly response: FlameGraphResponse
  /** The time of the response. */
  readonly time: string
  /** The reason why there is no newer result. */
  readonly fault: string | undefined
}

function linesOf({ response, time, fault }: Shown, view: LiveFlame, screen: Screen): string[] {
  const { columns: width, rows } = screen
  const room = Math.max(0, rows - OTHER_LINES)
  const { type, unit, profiles } = response
  const { colors, minPercent } = view
  const tree = remoteTree(response, view)
  const all = profiles === 0 ? ['No data yet.'] : flameLines(tree, { unit, colors, width, minPercent })
  const heading = sumText(type, unit, tree.sum, profiles, response.snapshots)
  const below = all.length > room ? `${countOf(all.length - room, 'line')} more below, ` : ''
  const every = `refresh every ${view.everyMs / 1000} s`
  const last =
    fault === undefined
      ? `${time}  ${below}${every}; Ctrl-C stops`
      : `${time}, not refreshed: ${fault}; ${every}; Ctrl-C stops`
  const lines = [`${heading}  ${view.title}`, '']
  return [
    ...lines.map(line => clipped(printable(line), width)),
    ...all.slice(0, room),
    // Keeps the status line at the bottom.
    ...Array<string>(Math.max(0, room - all.length)).fill(''),
    clipped(printable(last), width),
  ].slice(-rows)
}

/** The text of an error that may be gone at the next refresh. Undefined for permanent errors. */
function passing(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error.name === 'TimeoutError') return `no response in ${TIMEOUT_MS / 1000} s`
  if (error.name === 'UnreachableError') return error.message
  // A service without data in the whole range: its attributes are unknown now, and may come back.
  if ('code' in error && error.code === 'unknown-attribute') return error.message
  const status = 'status' in error ? error.status : undefined
  return typeof status === 'number' && (status >= 500 || status === 429) ? error.message : undefined
}

/** `14:02:11` in local time. */
function clock(): string {
  return new Date().toTimeString().slice(0, 8)
}
