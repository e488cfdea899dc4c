// Rows of `GET /api/attention`: imports whose write or undo was interrupted by the end of the service.
import { type AccountName, type Attention, ATTENTION_SEVERITY, type KeyValueStore } from '@playhead/sdk'

export type Act = 'write' | 'undo'

/** Imports that are being written or undone. A recorded import that is not active was interrupted. */
export interface Going {
  begin(importId: string, act: Act, account: AccountName): Promise<void>
  end(importId: string): Promise<void>
  interrupted(isActive: (importId: string) => boolean): Promise<readonly Attention[]>
}

const DAY_MS = 86_400_000

/** @param keptMs retention time of an import */
export function createGoing(store: KeyValueStore, keptMs = 30 * DAY_MS): Going {
  return {
    begin: (importId, act, { provider, instance }) =>
      store.set(importId, { act, provider, instance, sinceMs: Date.now() }, keptMs),
    async end(importId) {
      await store.delete(importId)
    },
    async interrupted(isActive) {
      const rows: Attention[] = []
      for await (const [id, { act, provider, instance, sinceMs }] of store.entries<
        AccountName & { act?: Act; sinceMs: number }
      >()) {
        if (isActive(id)) continue
        const account = `${provider}${instance === 'default' ? '' : ` (${instance})`}`
        rows.push({
          id: `import-${id}`,
          kind: 'import_interrupted',
          severity: ATTENTION_SEVERITY.warn,
          title: 'An import was interrupted',
          detail:
            act === 'undo'
              ? `Playhead was restarted while it took back what it had written to ${account}. Undo the rest, or forget it, on the page Import.`
              : `Playhead was restarted while it wrote to ${account}. Continue, undo or forget it on the page Import.`,
          since: Math.floor(sinceMs / 1_000),
        })
      }
      return rows
    },
  }
}
