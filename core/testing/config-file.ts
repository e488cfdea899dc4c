// An in-memory configuration file.
import type { ConfigFile } from '../config/config-file.ts'

export function createMemoryFile(first: string): ConfigFile {
  let text = first
  let lastGood: string | undefined
  let isRead = false
  return {
    async read() {
      if (isRead) return { kind: 'unchanged' }
      isRead = true
      return { kind: 'text', text }
    },
    readAgain: async () => ({ kind: 'text', text }),
    readLastGood: async () => lastGood,
    async write(written) {
      text = written
    },
    async keepLastGood(written) {
      lastGood = written
    },
    setAside: async () => undefined,
    facts: async () => ({ path: 'config.json', exists: true, sizeBytes: text.length, modifiedAtMs: 0 }),
  }
}
