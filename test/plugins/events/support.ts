// An archive with its routes, and events for it.
import { type EventArchive, type EventRecord, EVENT_ARCHIVE } from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/services/events/index.ts'

const manifest = new URL('../../../plugins/services/events/plugin.json', import.meta.url)

export interface Answer {
  readonly status: number
  readonly body: any
}

export type Opened = Awaited<ReturnType<typeof openArchive>>

export async function openArchive(
  options: { readonly config?: object; readonly capabilities?: Readonly<Record<string, object>> } = {},
) {
  let own: EventArchive | undefined
  const setup: typeof plugin.setup = async (ctx) => (own = (await plugin.setup?.(ctx)) as EventArchive)
  const host = await createTestHost({ plugin: { ...plugin, setup }, manifest, ...(options as object) })
  const archive = host.capability<EventArchive>(EVENT_ARCHIVE)
  const call = async (path: string, payload?: unknown, method?: 'GET' | 'POST'): Promise<Answer> => {
    const answer = await host.inject({
      url: `/api/events/${path}`,
      method: method ?? (payload === undefined ? 'GET' : 'POST'),
      ...(payload === undefined ? {} : { payload: payload as object }),
    })
    return { status: answer.statusCode, body: answer.json() }
  }
  return {
    host,
    archive,
    call,
    get: async (path: string) => (await call(path)).body,
    post: (path: string, payload: unknown = {}) => call(path, payload),
    /** Audit events as the archive records them itself, other events as another plugin. */
    async record(...records: readonly EventRecord[]) {
      const isAudit = records.some(({ type, domain }) => domain === 'audit' || type.startsWith('audit_'))
      await (isAudit ? own! : archive).record(records)
      await archive.flushed()
    },
    [Symbol.asyncDispose]: () => host.close(),
  }
}

export const ROUTE = {
  pair_key: 'MEDIAB-TRACKA',
  direction: 'a_to_b',
  source: { provider: 'MEDIAB', instance: 'default' },
  destination: { provider: 'TRACKA', instance: 'default' },
  feature: 'history',
  source_kind: 'runtime',
} as const

export const HEAT = { key: 'movie:tmdb:949', title: 'Heat', year: 1995, media_type: 'movie' } as const
export const ALIEN = { key: 'movie:tmdb:348', title: 'Alien', year: 1979, media_type: 'movie' } as const

export function started(runId: string, atMs: number): EventRecord {
  return {
    type: 'sync_run_started',
    run_id: runId,
    operation: 'run',
    source_kind: 'runtime',
    atMs,
    detail: { mode: 'api' },
  }
}

export function finished(runId: string, atMs: number, detail: Readonly<Record<string, unknown>> = {}): EventRecord {
  return {
    type: 'sync_run_finished',
    run_id: runId,
    operation: 'run',
    source_kind: 'runtime',
    atMs,
    detail: { result: 'ok', errors: 0, unresolved: 0, ...detail },
  }
}

export function wrote(runId: string, item: EventRecord['item'], more: Partial<EventRecord> = {}): EventRecord {
  return {
    ...ROUTE,
    type: 'write_succeeded',
    run_id: runId,
    operation: 'add',
    reason_code: 'new_on_a',
    ...(item === undefined ? {} : { item }),
    ...more,
  }
}

export function failed(runId: string, item: EventRecord['item'], more: Partial<EventRecord> = {}): EventRecord {
  return { ...wrote(runId, item), type: 'write_failed', severity: 'error', reason_code: 'refused_by_service', ...more }
}
