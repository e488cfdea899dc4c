// Routes that describe what providers support in a pair, and their numbers of rows.
import {
  accountName,
  type Accounts,
  defined,
  FEATURES,
  type FeatureSupport,
  type Holding,
  isListService,
  type PluginApp,
  type ProviderDescription,
  type Remote,
  type Static,
  Type,
} from '@playhead/sdk'
import { CountsAnswer, ProvidersAnswer } from './answers.ts'

export interface ProviderRouteDependencies {
  readonly accounts: Remote<Accounts>
  readonly holdings: () => Promise<readonly Holding[]>
  readonly now: () => number
}

export function registerProviderRoutes(app: PluginApp, { accounts, holdings, now }: ProviderRouteDependencies): void {
  app.get(
    '/api/sync/providers',
    { schema: { summary: 'The providers, and what each can do in a pair', response: { 200: ProvidersAnswer } } },
    async () => {
      const [providers, profiles] = await Promise.all([accounts.providers(), accounts.list()])
      return providers
        .toSorted((a, b) => a.label.localeCompare(b.label))
        .map((provider) => {
          const own = profiles.filter((profile) => profile.provider === provider.id)
          return {
            ...describe(provider),
            configured: own.some(({ configured }) => configured),
            instances: own.map(({ instance, label, configured }) => ({
              id: instance,
              label: label === '' ? instance : label,
              configured,
            })),
          }
        })
    },
  )

  const CountsQuery = Type.Object({
    max_age: Type.Number({
      default: 30,
      minimum: 0,
      description: 'Seconds. Counts come from the last reads, which only a run renews.',
    }),
    force: Type.Boolean({ default: false }),
    source: Type.String({ default: 'state', maxLength: 40 }),
  })
  app.get(
    '/api/sync/providers/counts',
    {
      schema: {
        summary: 'Rows on the watchlists, as they were last read',
        querystring: CountsQuery,
        response: { 200: CountsAnswer },
      },
    },
    async (request) => {
      const { source } = request.query as Static<typeof CountsQuery>
      const [providers, rows] = await Promise.all([accounts.providers(), holdings()])
      const watchlist = rows.filter(({ feature }) => feature === 'watchlist')
      const readAtMs = watchlist.flatMap((one) => one.readAtMs ?? [])
      return {
        ok: true,
        counts: Object.fromEntries(
          providers.map(({ id }) => [id, sumOf(watchlist.filter(({ provider }) => provider === id))]),
        ),
        age: readAtMs.length === 0 ? null : Math.max(0, Math.round((now() - Math.min(...readAtMs)) / 1_000)),
        errors: {},
        source,
        by_feature: Object.fromEntries(
          FEATURES.map((feature) => {
            const own = rows.filter((row) => row.feature === feature)
            return [feature, countsOf(own, ({ provider }) => provider)]
          }),
        ),
        by_instance: countsOf(watchlist, ({ provider, instance }) => accountName(provider, instance)),
      }
    },
  )
}

/** Null if no list was read, as opposed to an empty list. */
function sumOf(rows: readonly Holding[]): number | null {
  const read = rows.filter(({ readAtMs }) => readAtMs !== null)
  return read.length === 0 ? null : read.reduce((total, { count }) => total + count, 0)
}

function countsOf(rows: readonly Holding[], by: (row: Holding) => string): Record<string, number | null> {
  return Object.fromEntries([...Map.groupBy(rows, by)].map(([name, own]) => [name, sumOf(own)]))
}

function describe(provider: ProviderDescription) {
  const { id, label, mark = null, popular = null, group, terms, version, vendor, description, bidirectional } = provider
  const { progress, history } = provider.features
  const supports = FEATURES.flatMap((feature) => {
    const support = provider.features[feature]
    return support === undefined ? [] : [{ feature, support }]
  })
  const isAny = (can: 'read' | 'add') => supports.some(({ support }) => support[can])
  return {
    ...{ name: id, label, mark, popular, group },
    terms: { pairs: terms?.pairs ?? null, captures: terms?.captures ?? null },
    list_service: isListService(provider),
    ...{ version, vendor, description },
    features: Object.fromEntries(FEATURES.map((feature) => [feature, provider.features[feature] !== undefined])),
    can_source: isAny('read'),
    can_target: isAny('add'),
    types: Object.fromEntries(supports.map(({ feature, support }) => [feature, support.kinds])),
    operations: Object.fromEntries(supports.map(({ feature, support }) => [feature, operationsOf(support)])),
    capabilities: {
      bidirectional,
      dropped_shows: provider.droppedShows === true,
      ...(progress === undefined ? {} : { progress: positionsOf(progress) }),
      history: { rewatches: { read: history?.plays?.read === true, write: history?.plays?.write === true } },
    },
  }
}

function positionsOf({ needsDuration, completion }: FeatureSupport) {
  const requires = { requires_duration: needsDuration === true }
  if (completion === undefined) return requires
  const { percent, minDurationSeconds } = completion
  return {
    ...requires,
    server_completion_percent: percent,
    completion_policy: {
      progress_write: {
        mode: 'auto_complete',
        auto_completes_at_percent: percent,
        ...defined({ min_duration_seconds: minDurationSeconds }),
      },
    },
  }
}

function operationsOf({ read, add, update, remove, removalSideEffects }: FeatureSupport) {
  return { read, add, update, remove, ...defined({ removal_side_effects: removalSideEffects }) }
}
