// Routes that change the archive.
import {
  assertScope,
  type Caller,
  callerName,
  defined,
  type EventDomain,
  type EventRecord,
  optionalBody,
  PlayheadError,
  type PluginApp,
  skipSerializer,
  type Static,
  Type,
} from '@playhead/sdk'
import { ClearAnswer, CorrelateAnswer, ImportAnswer, MarkAnswer, orUnavailable } from './answers.ts'
import { acknowledge, unacknowledge } from '../manage/acknowledge.ts'
import type { Archive } from '../store/archive.ts'
import { clearEvents } from '../manage/clear.ts'
import { isLarge, rebuildGroups, rebuildLater } from '../store/correlate.ts'
import { ImportBody, importEvents } from '../manage/import.ts'
import { eventRows } from '../query/view.ts'
import { DOMAINS } from '../store/vocabulary.ts'

interface ManageDependencies {
  readonly archive: Archive
  readonly signal: AbortSignal
  /** Open items of the sync, as events. */
  readonly state: () => Promise<readonly EventRecord[]>
  readonly activeRun: () => Promise<string | null>
}

interface Marker {
  readonly id: number
  readonly by: string | null
}

const AckBody = optionalBody(
  Type.Object(
    { by: Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()])) },
    { additionalProperties: true },
  ),
)
const CorrelateBody = optionalBody(
  Type.Object({ reset: Type.Optional(Type.Boolean()) }, { additionalProperties: true }),
)
const ClearBody = Type.Object(
  {
    confirm: Type.Optional(Type.Unknown({ description: 'true' })),
    domain: Type.Optional(
      Type.Union([Type.Unsafe<string>({ type: 'string', enum: [...DOMAINS, 'all', ''] }), Type.Null()]),
    ),
    before: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
        description: 'Only events before this time, in seconds.',
      }),
    ),
  },
  { additionalProperties: true },
)

// Larger bodies would block the event loop while they are parsed.
const IMPORT_LIMIT_BYTES = 8 * 1024 * 1024

export function registerManageRoutes(app: PluginApp, { archive, signal, state, activeRun }: ManageDependencies): void {
  const post = (
    path: string,
    summary: string,
    schemas: object,
    answer: (request: never) => Promise<unknown>,
    bodyLimit?: number,
  ) =>
    void app.post(
      path,
      { ...skipSerializer, schema: { summary, ...schemas }, ...defined({ bodyLimit }) },
      async (request) => await orUnavailable(() => answer(request as never)),
    )

  const audit = (slug: string, by: string | null, detail: Readonly<Record<string, unknown>>) =>
    archive.record([
      {
        type: `audit_${slug}`,
        domain: 'audit',
        feature: 'security',
        operation: slug,
        source_kind: 'api',
        detail: { actor: { username: by }, ...detail },
      },
    ])

  for (const [what, path, name] of [
    ['grp', '/api/events/groups/:group_id', 'group_id'],
    ['event', '/api/events/:event_id', 'event_id'],
  ] as const) {
    const params = Type.Object({ [name]: Type.String() })
    const marker = (request: {
      readonly params: Record<string, string>
      readonly body?: { readonly by?: string | null } | null
      readonly caller: Caller
    }): Marker => ({
      id: idOf(request.params[name] as string),
      // A session user cannot acknowledge under another name.
      by: callerName(request.caller) ?? (request.body?.by?.trim() || null),
    })
    const answer = async (done: Awaited<ReturnType<typeof unacknowledge>>) => ({
      ok: true,
      ...done,
      ...(what === 'event' ? { event: (await eventRows(await archive.reading(), [done.id]))[0] } : {}),
    })
    post(
      `${path}/acknowledge`,
      'Hide events or groups',
      { params, body: AckBody, response: { 200: MarkAnswer } },
      async (request) => {
        const { id, by } = marker(request)
        const done = await archive.writer.alone(async () =>
          acknowledge(await archive.database(), what, id, by, Math.floor(archive.now() / 1_000)),
        )
        await audit('events_acknowledged', by, { target: { type: what === 'event' ? 'event' : 'group', id } })
        return await answer(done)
      },
    )
    post(
      `${path}/unacknowledge`,
      'Show hidden events or groups',
      { params, response: { 200: MarkAnswer } },
      async (request) => {
        const { id, by } = marker(request)
        const done = await archive.writer.alone(async () => unacknowledge(await archive.database(), what, id))
        await audit('events_unacknowledged', by, { target: { type: what === 'event' ? 'event' : 'group', id } })
        return await answer(done)
      },
    )
  }

  post(
    '/api/events/correlate',
    'Rebuild the groups from their events',
    { body: CorrelateBody, response: { 200: CorrelateAnswer } },
    async (request: { readonly body: { readonly reset?: boolean } | null }) => {
      await archive.flushed()
      // Events are grouped when they are stored, so only a reset has work to do.
      if (request.body?.reset !== true) return { ok: true, grouped: 0, groups_touched: 0 }
      if (!(await isLarge(archive))) return { ok: true, ...(await rebuildGroups(archive, signal)) }
      return { ok: true, started: true, job_id: rebuildLater(archive, signal).job_id, grouped: 0, groups_touched: 0 }
    },
  )

  post(
    '/api/events/import',
    'Import events',
    { body: ImportBody, response: { 200: ImportAnswer } },
    async (request: { readonly body: ImportBody; readonly caller: Caller }) =>
      await importEvents(archive, request.body, state, () =>
        assertScope(request.caller, 'admin', 'To import audit events'),
      ),
    IMPORT_LIMIT_BYTES,
  )

  post(
    '/api/events/clear',
    'Delete events',
    { body: ClearBody, response: { 200: ClearAnswer } },
    async (request: { readonly body: Static<typeof ClearBody>; readonly caller: Caller }) => {
      const { confirm, domain, before } = request.body
      if (confirm !== true)
        throw new PlayheadError('PLH_INVALID', 'Deleting cannot be undone. Send confirm with true.', {
          wire: 'confirmation_required',
          details: { confirm: false },
        })
      if ((await activeRun()) !== null)
        throw new PlayheadError('PLH_CONFLICT', 'A run is in progress. Wait until it ends, or cancel it.', {
          wire: 'run_active',
        })
      const wanted = domain == null || domain === '' || domain === 'all' ? null : (domain as EventDomain)
      // A token must not delete the record of its own actions.
      if (wanted === null || wanted === 'audit') assertScope(request.caller, 'admin', 'To clear audit events')
      const cleared = await clearEvents(archive, wanted, before ?? null)
      await audit('events_cleared', callerName(request.caller), { ...cleared, domain: wanted ?? 'all' })
      return { ok: true, cleared: true, domain: wanted ?? 'all', ...cleared }
    },
  )
}

/** Non-numeric ids match nothing. */
function idOf(text: string): number {
  const id = Number(text)
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(id)) return id
  throw new PlayheadError('PLH_NOT_FOUND', `There is nothing with the id ${JSON.stringify(text.slice(0, 40))}.`, {
    wire: 'not_found',
  })
}
