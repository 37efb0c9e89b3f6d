// The notes and deployments on the time axis of charts.
import type { AddAnnotationRequest } from '@hearth/client'
import { signal } from '@preact/signals'
import { client } from '../../state/session.ts'

/** Grows with each change, so that charts load their marks again. */
export const annotationChanges = signal(0)

export async function addAnnotation(request: AddAnnotationRequest): Promise<void> {
  await client.peek().act('addAnnotation', request)
  annotationChanges.value++
}

export async function removeAnnotation(id: string): Promise<void> {
  await client.peek().act('removeAnnotation', {}, { of: id })
  annotationChanges.value++
}
