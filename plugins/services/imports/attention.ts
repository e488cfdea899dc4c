// Rows of `GET /api/attention`: imports that ended with the service while they were written.
import { type AccountName, type Attention, ATTENTION_SEVERITY, type KeyValueStore } from '@playhead/sdk'

/** Which imports are being written. One that is noted and not active was interrupted. */
export interface Going {
  begin(importId: string, account: AccountName): Promise<void>
  end(importId: string): Promise<void>
  interrupted(isActive: (importId: string) => boolean): Promise<readonly Attention[]>
}

const DAY_MS = 86_400_000

/** @param keptMs how long an import is kept */
export function createGoing(store: KeyValueStore, keptMs = 30 * DAY_MS): Going {
  return {
    begin: (importId, { provider, instance }) =>
      store.set(importId, { provider, instance, sinceMs: Date.now() }, keptMs),
    async end(importId) {
      await store.delete(importId)
    },
    async interrupted(isActive) {
      const rows: Attention[] = []
      for await (const [id, { provider, instance, sinceMs }] of store.entries<AccountName & { sinceMs: number }>()) {
        if (isActive(id)) continue
        rows.push({
          id: `import-${id}`,
          kind: 'import_interrupted',
          severity: ATTENTION_SEVERITY.warn,
          title: 'An import was interrupted',
          detail: `Playhead was restarted while it wrote to ${provider}${instance === 'default' ? '' : ` (${instance})`}. Continue, undo or forget it on the page Import.`,
          since: Math.floor(sinceMs / 1_000),
        })
      }
      return rows
    },
  }
}
