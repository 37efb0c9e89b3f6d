// Loads the native module in a tested program. With `fallback`, loading fails.
import type { NativeModule } from '../sources/native-module.ts'
import { loadNativeModule } from '../sources/native-module.ts'

export function loaderOf(mode: string | undefined): () => NativeModule {
  if (mode !== 'fallback') return loadNativeModule
  return () => {
    throw new Error('no prebuilt addon')
  }
}
