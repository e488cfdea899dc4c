// Cached libraries for selection, so that a form can ask on every key press.
import { isRecent } from '@playhead/sdk'
import type { Section, Server } from '../session.ts'

export interface LibraryCache {
  at(
    instance: string,
    address: { readonly url: string; readonly verifyTls: boolean | undefined },
    server: () => Promise<Server>,
  ): Promise<readonly Section[]>
  forget(instance: string): void
}

const CACHE_MS = 600_000
const MIN_MS = 5_000
const MAX_ENTRIES = 32

export function createLibraryCache(now: () => number = Date.now): LibraryCache {
  const cached = new Map<
    string,
    { readonly atMs: number; readonly found: Promise<readonly Section[]>; isFull: boolean }
  >()

  return {
    async at(instance, { url, verifyTls }, server) {
      // The binding decides about access, so it is checked on every call.
      const bound = await server()
      const key = `${instance} ${bound.account} ${url} ${verifyTls ?? ''}`
      const known = cached.get(key)
      if (known !== undefined && isRecent(known.atMs, now(), known.isFull ? CACHE_MS : MIN_MS)) return known.found
      const entry = { atMs: now(), found: bound.sections(), isFull: false }
      cached.delete(key)
      cached.set(key, entry)
      if (cached.size > MAX_ENTRIES) cached.delete(cached.keys().next().value as string)
      const found = await entry.found
      entry.isFull = found.length > 0
      return found
    },
    forget(instance) {
      for (const key of cached.keys()) if (key.startsWith(`${instance} `)) cached.delete(key)
    },
  }
}
