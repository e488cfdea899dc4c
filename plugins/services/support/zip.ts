// A ZIP stream with backpressure.
import { yieldToLoop } from '@playhead/sdk'
import { Zip, ZipDeflate } from 'fflate/browser'

export interface ZipWriter {
  add(path: string, texts: readonly string[]): AsyncGenerator<Uint8Array>
  end(): Generator<Uint8Array>
}

const PUSH_CHARS = 16 * 1024

export function createZip(): ZipWriter {
  let packed: Uint8Array[] = []
  let failure: Error | null = null
  const zip = new Zip((error, data) => {
    if (error !== null) failure = error
    else packed.push(data)
  })
  const encoder = new TextEncoder()

  function* take(): Generator<Uint8Array> {
    if (failure !== null) throw failure
    const taken = packed
    packed = []
    yield* taken.filter(({ length }) => length > 0)
  }

  return {
    async *add(path, texts) {
      const file = new ZipDeflate(path, { level: 6 })
      zip.add(file)
      let waiting = ''
      for (const text of texts) {
        waiting += text
        if (waiting.length < PUSH_CHARS) continue
        file.push(encoder.encode(waiting))
        waiting = ''
        yield* take()
        await yieldToLoop()
      }
      file.push(encoder.encode(waiting), true)
      yield* take()
    },
    *end() {
      zip.end()
      yield* take()
    },
  }
}
