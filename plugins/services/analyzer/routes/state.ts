// Routes for rows, details, the ratings audit, and stored state.
import {
  ANALYZED_FEATURES,
  type AnalyzedFeature,
  oneOf,
  type PairState,
  type PluginApp,
  skipSerializer,
  type StoredArtifact,
  SYNC,
  Type,
} from '@playhead/sdk'
import { notFound } from '../not-found.ts'
import { type Parts, readPairs } from '../parts.ts'
import { findAccount } from '../find-account.ts'
import { accountText } from '../pass/wire.ts'
import { choosePairs } from '../world.ts'
import { ActivityAnswer, DetailAnswer, RatingsAnswer, StateAnswer, StoredAnswer } from './answers.ts'
import { Pairs } from './problems.ts'

const MAX_LIMIT = 500
const Name = Type.String({ minLength: 1, maxLength: 200 })
export const Key = Type.String({ minLength: 1, maxLength: 1_000 })

interface StateQuery {
  readonly pairs?: string
  readonly offset: number
  readonly limit: number
  readonly q?: string
  readonly feature?: string
  readonly provider?: string
  readonly problem?: string
}

export function registerStateRoutes(app: PluginApp, parts: Parts): void {
  const { runner, ctx } = parts
  app.get<{ Querystring: StateQuery }>(
    '/api/analyzer/state',
    {
      ...skipSerializer,
      schema: {
        summary: 'Rows of all accounts, with their problems',
        querystring: Type.Object({
          pairs: Pairs,
          offset: Type.Integer({ default: 0, minimum: 0, maximum: 10_000_000 }),
          limit: Type.Integer({
            default: 250,
            minimum: 0,
            description: `More than ${MAX_LIMIT} is ${MAX_LIMIT}; 0: counts only.`,
          }),
          q: Type.Optional(Type.String({ maxLength: 200, description: 'Words in titles, year, ids or key.' })),
          feature: Type.Optional(Name),
          provider: Type.Optional(Name),
          problem: Type.Optional(
            Type.String({ minLength: 1, maxLength: 200, description: 'Rows with a problem of this type.' }),
          ),
        }),
        response: { 200: StateAnswer },
      },
    },
    async ({ query: { pairs, limit: wanted, ...query } }) => {
      const limit = Math.min(MAX_LIMIT, wanted)
      const { answer } = await runner.ask(readPairs(pairs), ({ key }) => runner.thread.state(key, { ...query, limit }))
      return { ok: true, ...answer, offset: query.offset, limit, has_more: query.offset + limit < answer.total }
    },
  )

  app.get<{ Querystring: { pairs?: string; provider: string; feature: AnalyzedFeature; key: string } }>(
    '/api/analyzer/detail',
    {
      ...skipSerializer,
      schema: {
        summary: 'Where an item is missing, and why',
        querystring: Type.Object({ pairs: Pairs, provider: Name, feature: oneOf(ANALYZED_FEATURES), key: Key }),
        response: { 200: DetailAnswer },
      },
    },
    async ({ query: { pairs, provider, feature, key } }) => {
      const account = await findAccount(parts, provider, feature)
      const { answer } = await runner.ask(readPairs(pairs), (pass) =>
        runner.thread.detail(pass.key, account, feature, key),
      )
      if (answer.detail === null) throw notFound('item_not_found', 'The account does not have this item.')
      return { ok: true, ...answer.detail }
    },
  )

  app.get<{ Querystring: { pairs?: string } }>(
    '/api/analyzer/ratings-audit',
    {
      ...skipSerializer,
      schema: {
        summary: 'Ratings that differ, precede the release, or are missing',
        querystring: Type.Object({ pairs: Pairs }),
        response: { 200: RatingsAnswer },
      },
    },
    async ({ query }) => {
      const { answer } = await runner.ask(readPairs(query.pairs), ({ key }) => runner.thread.ratings(key))
      return { ok: true, ...answer }
    },
  )

  const sync = ctx.use(SYNC)
  app.get<{ Querystring: { pairs?: string } }>(
    '/api/analyzer/cw-state',
    {
      ...skipSerializer,
      schema: {
        summary: 'Stored data of the sync by account and pair, as counts',
        querystring: Type.Object({ pairs: Pairs }),
        response: { 200: StoredAnswer },
      },
    },
    async ({ query }) => {
      const selected = readPairs(query.pairs)
      const { artifacts } = await sync.stored()
      if (selected === null) return storedAnswer(artifacts)
      const pairs = choosePairs(await sync.pairs(), selected)
      return storedAnswer(artifacts.filter((one) => pairs.some((pair) => concerns(one, pair))))
    },
  )

  app.get(
    '/api/analyzer/pair-activity',
    {
      ...skipSerializer,
      schema: { summary: 'When the state of each pair changed last', response: { 200: ActivityAnswer } },
    },
    async (_request, reply) => {
      const [pairs, { pairs: states }] = [await sync.pairs(), await sync.stored()]
      const rows = pairs.map(({ id }) => {
        const ms = Math.max(0, ...states.filter((one) => one.pair_id === id).map(({ lastRunAtMs }) => lastRunAtMs ?? 0))
        // A JavaScript number would round the value.
        return `{"id":${JSON.stringify(id)},"last_run_ns":${BigInt(Math.trunc(ms)) * 1_000_000n},"last_run_ms":${Math.trunc(ms)}}`
      })
      return reply.type('application/json; charset=utf-8').send(`{"ok":true,"pairs":[${rows.join(',')}]}`)
    },
  )
}

/** State of the pair, or of an account of the pair. */
function concerns({ pair_id: id, provider, instance, feature }: StoredArtifact, pair: PairState): boolean {
  if (id !== null) return id === pair.id
  return (
    (feature === null || pair.features?.includes(feature) === true) &&
    ((provider === pair.source && instance === pair.source_instance) ||
      (provider === pair.target && instance === pair.target_instance))
  )
}

/** Names of stored data in the interface. */
const KIND: Readonly<Record<StoredArtifact['kind'], string>> = {
  watermarks: 'watermarks',
  shadow: 'shadow',
  index: 'index',
  unresolved: 'unresolved',
  flap: 'flap',
  blackbox: 'blackbox',
  tombstones: 'tombstones',
  policy: 'generic',
  pair_state: 'generic',
}
const COLUMN: Readonly<Partial<Record<StoredArtifact['kind'], string>>> = {
  unresolved: 'unresolved',
  blackbox: 'blackbox',
  flap: 'flapping',
  shadow: 'shadow',
  watermarks: 'watermark',
}

function storedAnswer(artifacts: readonly StoredArtifact[]) {
  const totals: Record<string, number> = {}
  const providers: Record<string, Record<string, Record<string, number>>> = {}
  for (const { kind, provider, instance, feature, entries, hot } of artifacts) {
    totals[KIND[kind]] = (totals[KIND[kind]] ?? 0) + entries
    const column = COLUMN[kind]
    if (provider === null || instance === null || feature === null || column === undefined) continue
    const name = accountText({ provider, instance })
    providers[name] ??= {}
    const counts = (providers[name][feature] ??= {
      unresolved: 0,
      pending: 0,
      blackbox: 0,
      flapping: 0,
      shadow: 0,
      watermark: 0,
    })
    counts[column]! += entries
    if (kind === 'unresolved') counts['pending']! += entries - (hot ?? 0)
  }
  return {
    ok: true,
    artifacts: artifacts.map((one) => ({
      name: [
        one.kind,
        one.provider === null
          ? one.pair_id
          : accountText({ provider: one.provider, instance: one.instance ?? 'default' }),
        one.feature,
      ]
        .filter((part) => part !== null)
        .join('.'),
      kind: KIND[one.kind],
      provider: one.provider,
      instance: one.instance,
      feature: one.feature,
      scope: one.pair_id,
      entries: one.entries,
      newest: seconds(one.newestMs),
      oldest: seconds(one.oldestMs),
      size_bytes: null,
      problems: problemsOf(one),
    })),
    totals,
    providers,
  }
}

function problemsOf({ kind, hot = 0, entries }: StoredArtifact): readonly string[] {
  if (kind === 'blackbox' && entries > 0) return ['cw_state_blackbox_active']
  if (kind === 'flap') return [hot > 0 ? 'cw_state_flap_hot' : 'cw_state_flap_active']
  return kind === 'unresolved' ? ['cw_state_unresolved_backlog'] : []
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : Math.floor(ms / 1_000)
}
