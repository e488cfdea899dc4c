// Cached libraries for selection, so that a form can ask on every key press.
import type { Section, Server } from '../session.ts'

export interface LibraryLook {
  at(
    instance: string,
    address: { readonly url: string; readonly verifyTls: boolean | undefined },
    server: () => Promise<Server>,
  ): Promise<readonly Section[]>
  forget(instance: string): void
}

const KEPT_MS = 600_000
const SHORTEST_MS = 5_000
const MOST = 32

export function createLibraryLook(now: () => number = Date.now): LibraryLook {
  const kept = new Map<
    string,
    { readonly atMs: number; readonly found: Promise<readonly Section[]>; isFull: boolean }
  >()

  return {
    async at(instance, { url, verifyTls }, server) {
      // The binding decides about access, so it is checked on every call.
      const bound = await server()
      const key = `${instance} ${bound.account} ${url} ${verifyTls ?? ''}`
      const known = kept.get(key)
      if (known !== undefined && now() - known.atMs < (known.isFull ? KEPT_MS : SHORTEST_MS)) return known.found
      const entry = { atMs: now(), found: bound.sections(), isFull: false }
      kept.delete(key)
      kept.set(key, entry)
      if (kept.size > MOST) kept.delete(kept.keys().next().value as string)
      const found = await entry.found
      entry.isFull = found.length > 0
      return found
    },
    forget(instance) {
      for (const key of kept.keys()) if (key.startsWith(`${instance} `)) kept.delete(key)
    },
  }
}
