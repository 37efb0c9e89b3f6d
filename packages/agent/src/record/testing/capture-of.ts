// The capture of one recorder, without other threads.
import type { Profiles } from '@hearth/profile'
import type { CaptureRange } from '../threads/process-captures.ts'
import { ProcessCaptures } from '../threads/process-captures.ts'
import type { Recorder } from '../recorder.ts'

type Range = Omit<CaptureRange, 'kinds'> & Partial<CaptureRange>

export async function captureOf(recorder: Recorder, range: Range): Promise<Profiles | undefined> {
  const captures = new ProcessCaptures(recorder, 60)
  const kinds = range.kinds ?? recorder.kinds
  const capture = captures.begin({ kinds: kinds.filter(kind => kind !== 'heap' && kind !== 'allocations') })
  const captured = await capture.read({ ...range, kinds }, 0)
  capture.end()
  captures.close()
  return captured.build()
}
