// The context of an event, item, pair or run. Each part is read on its own and is null when it cannot be read.
import {
  type Accounts,
  defined,
  type EventRow,
  type Feature,
  FEATURES,
  type LibraryService,
  type OpenItem,
  type PairState,
  PlayheadError,
  type Remote,
  type Static,
  type SyncService,
  Type,
} from '@playhead/sdk'
import type { Archive } from '../store/archive.ts'
import { compileFilter } from './filters.ts'
import { all, fragment } from './sql.ts'
import { selectEvents } from './select.ts'
import { eventRows, type Reading } from './view.ts'

const text = (maxLength = 200) => Type.Optional(Type.String({ maxLength }))
export const ContextQuery = Type.Object({
  event_id: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  item_key: text(2_000),
  provider: text(),
  feature: text(),
  pair_key: text(),
  run_id: text(),
  source_provider: text(),
  destination_provider: text(),
  origin_provider: text(),
})
type Query = Static<typeof ContextQuery>

export interface ContextSources {
  /** Null without a sync service. */
  readonly sync: () => Remote<Pick<SyncService, 'pairs' | 'open' | 'tombstones'>> | null
  readonly library: () => Remote<Pick<LibraryService, 'holdings' | 'items'>> | null
  readonly accounts: () => Remote<Pick<Accounts, 'list'>> | null
}

interface Subject {
  readonly key: string | null
  readonly feature: Feature | null
  readonly pairKey: string | null
  readonly runId: string | null
  readonly source: string | null
  readonly destination: string | null
  readonly sourceInstance: string | null
  readonly destinationInstance: string | null
}

const MAX_RELATED = 50
const MAX_OPEN = 5_000

export async function contextOf(archive: Archive, sources: ContextSources, query: Query) {
  const reading = await archive.reading()
  const event = query.event_id === undefined ? null : ((await eventRows(reading, [query.event_id]))[0] ?? null)
  if (query.event_id !== undefined && event === null)
    throw new PlayheadError('PLH_NOT_FOUND', `There is no event ${query.event_id}.`, { wire: 'not_found' })
  const subject = subjectOf(query, event)
  const { key, pairKey, runId } = subject
  const sync = sources.sync()
  const attempt = async <Result>(work: () => Promise<Result>): Promise<Result | null> => {
    try {
      return await work()
    } catch (error) {
      archive.log.warn({ err: error }, 'a part of the context of an event could not be read')
      return null
    }
  }
  const related = async (value: string | null, filter: Readonly<Record<string, string>>) =>
    value === null ? undefined : await attempt(() => latest(reading, filter))
  const [item, run, pair] = [
    await related(key, { item_key: key ?? '' }),
    await related(runId, { run_id: runId ?? '' }),
    await related(pairKey, { pair_key: pairKey ?? '' }),
  ]
  const open = sync === null || key === null ? null : await attempt(() => openOf(sync, subject))
  const library = sources.library()
  const presence = library === null || key === null ? null : await attempt(() => accountsWith(library, subject))
  return {
    ok: true,
    event,
    related: defined({ item, run, pair }),
    context: {
      unresolved_state:
        open === null
          ? null
          : {
              present: open.some(({ quarantined }) => !quarantined),
              meta: open.find(({ quarantined }) => !quarantined) ?? null,
              total: open.length,
            },
      blackbox_state:
        open === null
          ? null
          : {
              present: open.some(({ quarantined }) => quarantined),
              total: open.filter(({ quarantined }) => quarantined).length,
            },
      tombstone_state:
        sync === null || key === null
          ? null
          : await attempt(async () => {
              const total = await sync.tombstones({ key, ...defined({ feature: subject.feature ?? undefined }) })
              return { present: total > 0, total }
            }),
      pair_state: sync === null ? null : await attempt(async () => pairStateOf(await sync.pairs(), subject)),
      // Manual blocks do not exist yet.
      manual_block: { present: false, count: 0 },
      provider_health: await attempt(() => healthOf(reading, sources)),
      analyzer_findings:
        presence === null ? null : { present_in: presence, count: presence.filter(({ present }) => present).length },
      item_state:
        presence === null || key === null
          ? null
          : { item_key: key, present_somewhere: presence.some(({ present }) => present) },
    },
  }
}

function subjectOf(query: Query, event: EventRow | null): Subject {
  const pick = (value: string | undefined, ...fields: readonly string[]) => {
    if (value !== undefined && value.trim() !== '') return value.trim()
    const found = fields.map((field) => event?.[field]).find((each) => typeof each === 'string' && each !== '')
    return found === undefined ? null : String(found)
  }
  const feature = pick(query.feature, 'feature')
  const destination = pick(query.destination_provider, 'destination_provider') ?? pick(query.provider)
  return {
    key: pick(query.item_key, 'item_key'),
    feature: FEATURES.includes(feature as Feature) ? (feature as Feature) : null,
    pairKey: pick(query.pair_key, 'pair_key'),
    runId: pick(query.run_id, 'run_id'),
    source: pick(query.source_provider, 'source_provider')?.toUpperCase() ?? null,
    destination: destination?.toUpperCase() ?? null,
    sourceInstance: pick(undefined, 'source_instance'),
    destinationInstance: pick(undefined, 'destination_instance'),
  }
}

async function latest(reading: Reading, filter: Readonly<Record<string, string>>): Promise<readonly EventRow[]> {
  const compiled = await compileFilter({ ...filter, visibility: 'all', domain: 'all' }, reading)
  return await eventRows(reading, (await selectEvents(reading.reader, compiled, { limit: MAX_RELATED, offset: 0 })).ids)
}

type Sync = NonNullable<ReturnType<ContextSources['sync']>>
type Library = NonNullable<ReturnType<ContextSources['library']>>

async function openOf(sync: Sync, { key, feature, destination }: Subject): Promise<readonly OpenItem[]> {
  const found: OpenItem[] = []
  const query = {
    ...defined({ key: key ?? undefined, feature: feature ?? undefined, provider: destination ?? undefined }),
  }
  for await (const page of sync.open(query)) {
    found.push(...page)
    if (found.length >= MAX_OPEN) break
  }
  return found
}

async function accountsWith(library: Library, { key, feature }: Subject) {
  const present: {
    readonly provider: string
    readonly instance: string
    readonly feature: Feature
    readonly present: boolean
  }[] = []
  for (const each of feature === null ? FEATURES : [feature]) {
    for (const { provider, instance } of await library.holdings(each)) {
      const rows = await library.items(provider, instance, each, [key as string])
      present.push({ provider, instance, feature: each, present: rows.length > 0 })
    }
  }
  return present
}

/** Finds the pair state, the most reliable strategy first. */
function pairStateOf(pairs: readonly PairState[], subject: Subject) {
  const { feature, pairKey, source, destination, sourceInstance, destinationInstance } = subject
  const candidates = pairs.filter(
    ({ features }) => feature === null || features === undefined || features.includes(feature),
  )
  const keyOf = (pair: PairState) => [pair.source, pair.target].sort().join('-')
  const isInstance = (wanted: string | null, own: string) => wanted === null || wanted === own
  const is = (pair: PairState, a: string | null, b: string | null) => pair.source === a && pair.target === b
  const exactly = (pair: PairState, a: string | null, b: string | null) =>
    pair.source_instance === a && pair.target_instance === b
  const strategies: readonly (readonly [name: string, reversed: boolean, test: (pair: PairState) => boolean])[] = [
    ['pair_id', false, (pair) => pairKey !== null && pair.id === pairKey],
    [
      'providers_instances',
      false,
      (pair) => is(pair, source, destination) && exactly(pair, sourceInstance, destinationInstance),
    ],
    [
      'reverse_providers_instances',
      true,
      (pair) =>
        pair.mode === 'two_way' && is(pair, destination, source) && exactly(pair, destinationInstance, sourceInstance),
    ],
    ['pair_key', false, (pair) => pairKey !== null && keyOf(pair) === pairKey],
    ['providers', false, (pair) => is(pair, source, destination)],
    ['reverse_providers', true, (pair) => is(pair, destination, source)],
    [
      'destination_only',
      false,
      (pair) =>
        source === null &&
        destination !== null &&
        pair.target === destination &&
        isInstance(destinationInstance, pair.target_instance),
    ],
    [
      'destination_only_reverse',
      true,
      (pair) =>
        source === null &&
        destination !== null &&
        pair.source === destination &&
        isInstance(destinationInstance, pair.source_instance),
    ],
    ['source_only', false, (pair) => destination === null && source !== null && pair.source === source],
    ['source_only_reverse', true, (pair) => destination === null && source !== null && pair.target === source],
  ]
  const label = (pair: PairState) => (pair.name === '' ? `${pair.source} - ${pair.target}` : pair.name)
  for (const [strategy, reversed, test] of strategies) {
    const pair = candidates.find(test)
    if (pair === undefined) continue
    const { id, enabled, mode, source: from, source_instance, target, target_instance } = pair
    return {
      matched: true,
      strategy,
      reversed,
      id,
      enabled,
      mode: mode ?? null,
      source: from,
      source_instance,
      target,
      target_instance,
      label: label(pair),
      raw_pair_key: pairKey,
    }
  }
  return { matched: false, raw_pair_key: pairKey, label: pairKey ?? '' }
}

/** The last recorded health; services are not queried. */
async function healthOf({ reader, facets }: Reading, sources: ContextSources) {
  const checks = (await facets.counted()).filter(
    ({ event_type: type, source_provider: provider }) => type === 'provider_health' && provider !== null,
  )
  const last = new Map<
    string,
    {
      readonly at: number
      readonly ok: boolean
      readonly reason: string | null
      readonly provider: string
      readonly instance: string
    }
  >()
  for (const facet of checks) {
    const [row] = await all(reader, fragment('SELECT max(ts) AS at FROM event WHERE facet_id = ?', facet.id))
    const [provider, instance] = [facet.source_provider as string, facet.source_instance ?? 'default']
    const name = `${provider}@${instance}`
    if (Number(row?.['at'] ?? 0) >= (last.get(name)?.at ?? 0))
      last.set(name, {
        at: Number(row?.['at'] ?? 0),
        ok: facet.severity === 'info',
        reason: facet.reason_code,
        provider,
        instance,
      })
  }
  const accounts = (await sources.accounts()?.list()) ?? []
  const providers: Record<string, object> = {}
  for (const { provider, instance, configured } of accounts) {
    const known = last.get(`${provider}@${instance}`)
    const status = !configured ? 'not_configured' : known === undefined ? 'unknown' : known.ok ? 'ok' : 'down'
    providers[instance === 'default' ? provider : `${provider}@${instance}`] = {
      configured,
      connected: configured && known?.ok === true,
      status,
      instance,
      ...(known === undefined || known.ok ? {} : { reason: known.reason }),
    }
  }
  const checkedAt = Math.max(0, ...[...last.values()].map(({ at }) => at))
  return { status_available: last.size > 0, checked_at: checkedAt === 0 ? null : checkedAt, providers }
}
