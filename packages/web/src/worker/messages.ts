// Messages between the UI and the worker. Responses contain typed arrays, which are transferred without copying.
import type { LaneKind } from '@hearth/profile'
import type { TimelineEvents } from '../timeline/events.ts'
import type {
  DiffRows,
  FrameName,
  HeatMapResponse,
  HeatMapChoice,
  Loss,
  Part,
  SandwichTrees,
  TimelineResult,
  TopColumns,
  TreeResult,
  TreeOrder,
  WrittenFile,
} from './results.ts'

/** Profiles of one type and unit from one file, so they can be summed. */
export interface FilePart {
  readonly file: string
  /** Such as `cpu:ns`; empty for the first type. */
  readonly type: string
  /** Only these observations. */
  readonly within?: Part
  /** Attributes whose values are at the root of the stacks. */
  readonly roots?: readonly string[]
  /** Whether frames without a name are distinguished by address. */
  readonly addresses?: boolean
  /** Also the frames that `drop_frames` of the file hides. */
  readonly allFrames?: boolean
}

export interface FileMeasure {
  /** Such as `cpu:ns`. */
  readonly type: string
  readonly unit: string
  readonly profiles: number
  readonly samples: number
  readonly observations: number
  readonly total: bigint
  /** The time of the first profile in nanoseconds since 1970; 0 if it is unknown. */
  readonly time: bigint
  readonly duration: bigint
  /** Whether samples have timestamps. */
  readonly timed: boolean
}

export interface FileSummary {
  readonly file: string
  readonly name: string
  readonly bytes: number
  readonly format: string
  readonly formatTitle: string
  readonly confidence: 'certain' | 'possible' | 'given'
  readonly compression: string
  readonly notes: readonly Loss[]
  /** The number of samples whose stacks are shorter because of `drop_frames`. */
  readonly prunedSamples: number
  /** The debug files that were dropped beside the file, and the number of addresses that they named. */
  readonly symbols: readonly string[]
  readonly namedAddresses: number
  readonly measures: readonly FileMeasure[]
  readonly writable: readonly { readonly name: string; readonly title: string; readonly extension: string }[]
}

/** A key and value to display. */
export interface Property {
  readonly key: string
  readonly value: string
}

export interface Link {
  readonly traceId: string
  readonly spanId: string
}

export interface RuleProblem {
  readonly rule: string
  readonly level: string
  readonly path: string
  readonly message: string
}

export interface ProfileDetails {
  readonly type: string
  readonly unit: string
  readonly time: bigint
  readonly duration: bigint
  readonly period: string
  readonly samples: number
  readonly observations: number
  readonly total: bigint
  readonly shape: string
  readonly id: string
  readonly attributes: readonly Property[]
  readonly resource: readonly Property[]
  readonly scope: readonly Property[]
  readonly originalFormat: string
}

export interface FileDetails {
  readonly profiles: readonly ProfileDetails[]
  /** The first of `allLinks` links. */
  readonly links: readonly Link[]
  readonly allLinks: number
  readonly problems: readonly RuleProblem[]
}

/** All requests by name, with the types of request and response. */
export interface WorkerRequests {
  readonly open: {
    readonly request: {
      readonly file: string
      readonly name: string
      readonly content: Blob
      /** Debug files that name native frames. */
      readonly symbols: readonly { readonly name: string; readonly content: Blob }[]
    }
    readonly response: FileSummary
  }
  readonly tree: {
    readonly request: { readonly part: FilePart; readonly order: TreeOrder }
    readonly response: TreeResult
  }
  readonly top: {
    readonly request: { readonly part: FilePart; readonly byLine: boolean }
    readonly response: TopColumns
  }
  readonly sandwich: {
    readonly request: { readonly part: FilePart; readonly frame: FrameName }
    readonly response: SandwichTrees | undefined
  }
  /** Falls back to the busiest thread if no thread has the key. */
  readonly timeline: {
    readonly request: { readonly part: FilePart; readonly thread: string }
    readonly response: TimelineResult
  }
  /** Events of all types of the file. */
  readonly events: {
    readonly request: { readonly part: FilePart; readonly lanes: LaneKind }
    readonly response: TimelineEvents
  }
  readonly heatMap: {
    readonly request: { readonly part: FilePart; readonly choice: HeatMapChoice }
    readonly response: HeatMapResponse
  }
  readonly diff: {
    readonly request: {
      readonly before: FilePart
      readonly after: FilePart
      readonly order: TreeOrder
      readonly absolute: boolean
    }
    readonly response: TreeResult
  }
  readonly diffRows: {
    readonly request: { readonly before: FilePart; readonly after: FilePart }
    readonly response: DiffRows
  }
  /** The number of observations; undefined for a part of the time. */
  readonly observations: { readonly request: { readonly part: FilePart }; readonly response: number | undefined }
  /** Attribute keys. */
  readonly attributes: { readonly request: { readonly part: FilePart }; readonly response: readonly string[] }
  readonly details: { readonly request: { readonly file: string }; readonly response: FileDetails }
  readonly write: {
    readonly request: { readonly part: FilePart; readonly format: string }
    readonly response: WrittenFile
  }
}

export type WorkerRequestName = keyof WorkerRequests

export interface WorkerRequest<Name extends WorkerRequestName = WorkerRequestName> {
  readonly id: number
  readonly name: Name
  readonly request: WorkerRequests[Name]['request']
}

export type WorkerResponse =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: { readonly name: string; readonly message: string } }

/** The name of the error for a file that is not open, for example because the worker was restarted. */
export const UNKNOWN_FILE = 'UnknownFileError'
