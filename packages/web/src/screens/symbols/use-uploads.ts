// Uploads of debug files, one after another.
import { useRef, useState } from 'preact/hooks'
import { client } from '../../state/session.ts'

export interface Upload {
  readonly id: number
  readonly name: string
  readonly state: 'sending' | 'done' | 'failed'
  readonly message: string
}

/** `onStored` is called after each stored file. */
export function useUploads(onStored: () => void): {
  readonly uploads: readonly Upload[]
  readonly add: (files: readonly File[]) => void
} {
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const last = useRef<Promise<void>>(Promise.resolve())
  const next = useRef(0)
  const send = async (id: number, file: File): Promise<void> => {
    const end = (state: Upload['state'], message: string): void =>
      setUploads(all => all.map(each => (each.id === id ? { ...each, state, message } : each)))
    try {
      const { quality } = await client.peek().uploadSymbols(file, { name: file.name })
      end('done', quality === 'lines' ? 'names, files and lines' : 'names of functions')
      onStored()
    } catch (error) {
      end('failed', error instanceof Error ? error.message : String(error))
    }
  }
  const add = (files: readonly File[]): void => {
    for (const file of files) {
      const id = next.current++
      setUploads(all => [...all, { id, name: file.name, state: 'sending', message: '' }])
      last.current = last.current.then(() => send(id, file))
    }
  }
  return { uploads, add }
}
