// Limits the runs of property tests that do not set their own number. A setup file of Vitest.
import fc from 'fast-check'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    readonly propertyRuns: number
  }
}

fc.configureGlobal({ numRuns: inject('propertyRuns') })
