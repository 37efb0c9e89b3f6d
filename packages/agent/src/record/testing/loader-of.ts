// How the native module comes into a program under test: with `fallback` it can't be loaded.
import type { NativeModule } from '../sources/native-module.ts'
import { loadNativeModule } from '../sources/native-module.ts'

export function loaderOf(mode: string | undefined): () => NativeModule {
  if (mode !== 'fallback') return loadNativeModule
  return () => {
    throw new Error('no prebuilt addon')
  }
}
