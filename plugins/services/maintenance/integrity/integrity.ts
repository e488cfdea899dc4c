// Checks the databases: quickly after each start, completely on demand. Sequentially, on a thread of the core.
import { type Attention, type DataDirectory, type HealthFact, isPlayheadError, type PluginContext } from '@playhead/sdk'

export interface CheckedDatabase {
  readonly path: string
  readonly owner: string
  readonly healthy: boolean
  readonly quick: boolean
  /** Findings of SQLite; empty if the database is healthy. */
  readonly integrity: readonly string[]
  readonly foreign_key_errors: number
  readonly size_bytes: number
  /** Epoch seconds. */
  readonly checked_at: number
  /** Why the check failed. */
  readonly error: string | null
}

export interface Integrity {
  /** @param path absent for all databases */
  check(
    options: { readonly quick: boolean; readonly path?: string },
    signal?: AbortSignal,
  ): Promise<readonly CheckedDatabase[]>
  /** The last check of each database. */
  last(): readonly CheckedDatabase[]
  /** Forgets the findings of a database that is being replaced. */
  forget(path: string): void
  health(): HealthFact
  attention(): readonly Attention[]
}

export function createIntegrity(ctx: PluginContext, data: DataDirectory, now: () => number): Integrity {
  const log = ctx.log.channel('MAINTENANCE')
  const found = new Map<string, CheckedDatabase>()

  async function checkOne(path: string, owner: string, quick: boolean): Promise<CheckedDatabase> {
    const common = { path, owner, quick, checked_at: Math.floor(now() / 1_000) }
    try {
      const { healthy, integrity, foreignKeyErrors, sizeBytes } = await data.check(path, { quick })
      return { ...common, healthy, integrity, foreign_key_errors: foreignKeyErrors, size_bytes: sizeBytes, error: null }
    } catch (error) {
      if (isPlayheadError(error, 'PLH_NOT_FOUND')) throw error
      // The file is busy or unreadable, which says nothing about its content.
      log.warn({ err: error, path }, 'a database could not be checked')
      const code = isPlayheadError(error) ? error.wire : String((error as { code?: unknown }).code ?? 'unreadable')
      return { ...common, healthy: true, integrity: [], foreign_key_errors: 0, size_bytes: 0, error: code }
    }
  }

  const damaged = () => [...found.values()].filter(({ healthy }) => !healthy)

  return {
    async check({ quick, path: only }, signal) {
      const parts = (await data.parts()).filter(({ kind, path }) => kind === 'database' && (only ?? path) === path)
      // Throws if the path is unknown.
      if (only !== undefined && parts.length === 0) await data.check(only, { quick })
      const checked: CheckedDatabase[] = []
      for (const { path, owner } of parts) {
        signal?.throwIfAborted()
        try {
          const one = await checkOne(path, owner, quick)
          checked.push(one)
          const before = found.get(path)
          found.set(path, one)
          if (one.healthy || before?.healthy === false) continue
          log.error(
            { path, findings: one.integrity.slice(0, 5), foreign_keys: one.foreign_key_errors },
            'a database is damaged',
          )
          ctx.events.emit('database.damaged', { path, findings: one.integrity.slice(0, 5) })
        } catch (error) {
          // The database was removed meanwhile.
          if (!isPlayheadError(error, 'PLH_NOT_FOUND')) throw error
          found.delete(path)
        }
      }
      if (only === undefined && !quick) {
        const bad = checked.filter(({ healthy }) => !healthy).map(({ path }) => path)
        const failed = checked.filter(({ error }) => error !== null).map(({ path }) => path)
        log.info({ databases: checked.length, damaged: bad, not_checked: failed }, 'all databases were checked')
        ctx.events.emit('database.checked', { databases: checked.length, damaged: bad, not_checked: failed })
      }
      return checked
    },
    last: () => [...found.values()],
    forget: (path) => void found.delete(path),
    health() {
      const bad = damaged()
      return {
        name: 'database_integrity',
        ok: bad.length === 0,
        detail: { checked: found.size, damaged: bad.map(({ path }) => path) },
        ...(bad.length === 0
          ? {}
          : {
              advice: `Damaged: ${bad.map(({ path }) => path).join(', ')}. Repair it on the maintenance page, or restore a backup.`,
            }),
      }
    },
    attention: () =>
      damaged().map(({ path, integrity, checked_at: since }) => ({
        id: `damaged:${path}`,
        kind: 'database_damaged',
        severity: 'error',
        title: `A database is damaged: ${path}`,
        detail: `${integrity[0] ?? 'Rows refer to others that are missing.'} What can be read is kept by a repair; a backup has the rest.`,
        since,
        action: {
          label: 'Repair',
          path: '/maintenance',
          call: { method: 'POST', path: '/api/maintenance/repair', body: { path, confirm: true } },
        },
      })),
  }
}
