// The response for dashboard widgets: a few numbers, flat and cached; titles only on request.
import {
  ATTENTION_LIST,
  itemsThatNeedYou,
  msUntil,
  OVERVIEW,
  oneOf,
  orNull,
  type PluginApp,
  STATUS,
  SYNC_STATES,
  type RunCounts,
  type Static,
  type SyncStatus,
  Type,
} from '@playhead/sdk'
import { shownOf } from './display.ts'
import { COUNTED } from './numbers.ts'
import type { Parts } from './parts.ts'

const CACHE_MS = 15_000
const TITLES = 5

const Query = Type.Object({
  titles: Type.Boolean({ default: false, description: 'Includes the titles that were synced or watched last.' }),
})
const Count = Type.Integer({ minimum: 0 })
const Time = orNull(Type.Integer({ description: 'Epoch seconds.' }))
const IsoTime = orNull(Type.String({ description: 'ISO 8601.' }))
const Answer = Type.Object({
  ok: Type.Boolean(),
  health: Type.Union(
    ['ok', 'attention', 'problem'].map((one) => Type.Literal(one)),
    { description: 'problem: the last run failed, or something is broken; attention: something waits for you.' },
  ),
  status: orNull(
    Type.Object(
      { state: oneOf(SYNC_STATES), count: Count, text: Type.String() },
      { description: 'The status of all pairs, as in `GET /api/overview`. Null without a sync service.' },
    ),
  ),
  attention: Type.Integer({ minimum: 0, description: 'Open problems.' }),
  running: Type.Boolean(),
  last_run: Type.Object({
    result: Type.String({ description: 'ok, partial, failed, cancelled, skipped; empty before the first.' }),
    at: Time,
    at_iso: IsoTime,
    added: Count,
    updated: Count,
    removed: Count,
    unresolved: Type.Integer({
      minimum: 0,
      description: 'Items that need you: not synced, or held. Without those that a library lacks.',
    }),
    held: Type.Integer({ minimum: 0, description: 'Of these: removals that wait for a review.' }),
  }),
  next_run: Type.Object({ at: Time, at_iso: IsoTime }),
  counts: Type.Object({
    pairs: Count,
    accounts: Count,
    ...(Object.fromEntries(COUNTED.map((feature) => [feature, Count])) as Record<
      (typeof COUNTED)[number],
      typeof Count
    >),
  }),
  titles: Type.Optional(Type.Array(Type.String(), { maxItems: TITLES })),
})
type Answer = Static<typeof Answer>

export function registerWidgetRoute(app: PluginApp, parts: Parts): void {
  let kept: { readonly answer: Promise<Answer>; readonly untilMs: number } | undefined

  /** Concurrent requests of several widgets share one response. */
  function current(): Promise<Answer> {
    if (kept !== undefined && msUntil(kept.untilMs, parts.now(), CACHE_MS) > 0) return kept.answer
    const answer = collect(parts)
    kept = { answer, untilMs: parts.now() + CACHE_MS }
    answer.catch(() => {
      kept = undefined
    })
    return answer
  }

  app.get(
    '/api/widget',
    {
      schema: {
        summary: 'A few numbers for a dashboard, at most 15 seconds old',
        querystring: Query,
        response: { 200: Answer },
      },
    },
    async (request, reply) => {
      const { titles } = request.query as Static<typeof Query>
      void reply.header('cache-control', `private, max-age=${CACHE_MS / 1_000}`)
      const answer = await current()
      return titles ? { ...answer, titles: await newestTitles(parts) } : answer
    },
  )
}

async function collect({ ctx, sync, accounts, numbers }: Parts): Promise<Answer> {
  const [pairs, reports, active, all, scheduling, open, overview, ...counts] = await Promise.all([
    sync()?.pairs() ?? [],
    sync()?.reports(20) ?? [],
    sync()?.active() ?? null,
    accounts.list(),
    ctx.tryUse(OVERVIEW.of('scheduling'))?.overview(),
    ctx.tryUse(ATTENTION_LIST)?.open(),
    ctx.tryUse(STATUS)?.overview(),
    ...COUNTED.map((feature) => numbers(feature)),
  ])
  const last = reports.find((report) => !report.dry_run)
  const items = open?.items ?? []
  const next = Number(scheduling?.['next_run_at'] ?? 0)
  const ended = Date.parse(String(last?.['finished_at'] ?? ''))
  const endedAt = Number.isNaN(ended) ? null : Math.floor(ended / 1_000)
  const number = (name: string) => Math.max(0, Math.trunc(Number(last?.[name] ?? 0) || 0))
  const isBroken = last?.result === 'failed' || items.some(({ severity }) => severity === 'error')
  const nextAt = next > 0 ? Math.floor(next) : null
  return {
    ok: true,
    health: isBroken ? 'problem' : items.some(({ severity }) => severity === 'warning') ? 'attention' : 'ok',
    status: overview === undefined ? null : shownStatus(overview.status),
    attention: items.length,
    running: active !== null,
    last_run: {
      result: last?.result ?? '',
      at: endedAt,
      at_iso: isoOf(endedAt),
      added: number('added_last'),
      updated: number('updated_last'),
      removed: number('removed_last'),
      unresolved: itemsThatNeedYou((last ?? {}) as RunCounts),
      held: number('held'),
    },
    next_run: { at: nextAt, at_iso: isoOf(nextAt) },
    counts: {
      pairs: pairs.length,
      accounts: all.filter(({ configured }) => configured).length,
      ...(Object.fromEntries(COUNTED.map((feature, index) => [feature, counts[index]?.now ?? 0])) as Record<
        (typeof COUNTED)[number],
        number
      >),
    },
  }
}

function shownStatus({ state, count, text }: SyncStatus) {
  return { state, count, text }
}

async function newestTitles({ numbers }: Parts): Promise<string[]> {
  const { newest } = await numbers('history')
  return newest.rows.slice(0, TITLES).map(({ item }) => shownOf(item).title)
}

function isoOf(seconds: number | null): string | null {
  return seconds === null ? null : new Date(seconds * 1_000).toISOString()
}
