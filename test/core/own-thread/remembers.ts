// A thread module that remembers something between calls.
import type { ThreadHost } from '@playhead/sdk'
import { serveWith } from '../../../core/own-thread/serve.ts'

export type Remembers = ReturnType<typeof work>

export default function work(host: ThreadHost) {
  let remembered: string | null = null
  let release = () => {}
  return {
    async remember(text: string): Promise<void> {
      remembered = text
      release = host.stay()
    },
    recall: async () => remembered,
    async forget(): Promise<void> {
      release()
      // A second call changes nothing.
      release()
    },
    async *numbers(): AsyncGenerator<number> {
      for (let number = 1; ; number += 1) yield number
    },
  }
}

export const serve = (setup: typeof work): void =>
  serveWith(setup, () => {
    throw new Error('it has no database')
  })
