// slow: the whole service, or very many cases
// Over random archives, every list equals a plain scan of the same rows, and paging shows each row once.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { EventRecord } from '@playhead/sdk'
import { INDEX_LIMITS } from '../../../plugins/services/events/query/sql.ts'
import { ALIEN, failed, finished, HEAT, openArchive, type Opened, started, wrote } from './support.ts'

const AT = Math.floor(Date.now() / 1_000) * 1_000 - 1_000_000
const TITLES = ['Heat', 'Heart', 'The Thing', 'thin g', '100%', 'a_b', 'Ünder', '東京']
const TYPES = [
  'write_succeeded',
  'write_failed',
  'unresolved_recorded',
  'unresolved_cleared',
  'blackbox_promoted',
  'plan_created',
  'somebody_else',
] as const
const PROVIDERS = ['MEDIAB', 'TRACKA', 'TRACKB']
const REASONS = ['refused_by_service', 'episode_missing', 'write_failed:503']

const event: fc.Arbitrary<EventRecord> = fc.record(
  {
    type: fc.constantFrom(...TYPES),
    atMs: fc.integer({ min: 0, max: 30 }).map((seconds) => AT + seconds * 1_000),
    severity: fc.constantFrom('info', 'warn', 'error'),
    domain: fc.constantFrom('sync', 'sync', 'sync', 'scrobble', 'audit'),
    run_id: fc.constantFrom('r1', 'r2', 'r3'),
    feature: fc.constantFrom('history', 'ratings'),
    operation: fc.constantFrom('add', 'remove'),
    pair_key: fc.constantFrom('MEDIAB-TRACKA', 'MEDIAB-TRACKB'),
    source: fc.record({ provider: fc.constantFrom(...PROVIDERS), instance: fc.constant('default') }),
    destination: fc.record({
      provider: fc.constantFrom(...PROVIDERS),
      instance: fc.constantFrom('default', 'TRACKA-P01'),
    }),
    reason_code: fc.constantFrom(...REASONS),
    session_key: fc.constantFrom('s1', 's2', 's3'),
    item: fc
      .integer({ min: 0, max: TITLES.length - 1 })
      .chain((index) =>
        fc.constantFrom(
          { key: `movie:tmdb:${index}`, title: TITLES[index] },
          { key: `movie:tmdb:${index}@1700000000`, title: TITLES[index] },
        ),
      ),
  },
  { requiredKeys: ['type', 'atMs', 'domain'] },
) as fc.Arbitrary<EventRecord>

const anything = fc.record({
  q: fc.constantFrom('heat', 'h', 'thin', '%', '_', 'tmdb:1', 'library', 'ünd', '京', 'zzz', 'e '),
  event_type: fc.constantFrom(...TYPES),
  provider: fc.constantFrom('mediab', 'TRACKA'),
  destination_provider: fc.constantFrom(...PROVIDERS),
  feature: fc.constantFrom('history', 'ratings', 'progress'),
  pair_key: fc.constantFrom('MEDIAB-TRACKA'),
  reason_code: fc.constantFrom(...REASONS, 'none'),
  item_key: fc.constantFrom('movie:tmdb:1', 'movie:tmdb:2@1700000000', 'nothing'),
  title_key: fc.constantFrom('movie:tmdb:1', 'movie:tmdb:2  movie:tmdb:1', 'nothing'),
  run_id: fc.constantFrom('r1', 'r9'),
  status: fc.constantFrom('failed', 'resolved', 'unresolved', 'informational'),
  category: fc.constantFrom('problems', 'successful', 'informational'),
  since: fc.integer({ min: 0, max: 30 }).map((seconds) => String(AT / 1_000 + seconds)),
  until: fc.integer({ min: 0, max: 30 }).map((seconds) => String(AT / 1_000 + seconds)),
  visibility: fc.constantFrom('open', 'acknowledged', 'all'),
  domain: fc.constantFrom('sync', 'scrobble', 'audit', 'all', ''),
  order: fc.constantFrom('newest', 'oldest'),
})
const NAMES = [
  'q',
  'event_type',
  'provider',
  'destination_provider',
  'feature',
  'pair_key',
  'reason_code',
  'item_key',
  'title_key',
  'run_id',
  'status',
  'category',
  'since',
  'until',
  'visibility',
  'domain',
  'order',
] as const
// A few at once: a filter on everything finds nothing.
const filter = fc
  .tuple(anything, fc.subarray([...NAMES], { maxLength: 3 }))
  .map(([given, names]) => Object.fromEntries(names.map((name) => [name, given[name]])))

// As if there were enough rows to use an index.
const roads = fc.record({
  few: fc.constantFrom(INDEX_LIMITS.few, 10, -1),
  some: fc.constantFrom(INDEX_LIMITS.some, 10, -1),
  rare: fc.constantFrom(INDEX_LIMITS.rare, 10),
  narrow: fc.constantFrom(INDEX_LIMITS.narrow, 2, -1),
  known: fc.constantFrom(INDEX_LIMITS.known, 3, -1),
})
const standard = { ...INDEX_LIMITS }

const CATEGORY: Readonly<Record<string, readonly string[]>> = {
  problems: ['failed', 'warning', 'blackboxed', 'unresolved'],
  successful: ['resolved', 'completed', 'rated'],
  informational: ['informational', 'pending', 'running'],
}

type Row = Readonly<Record<string, any>>
type Query = Readonly<Record<string, string>>

const has = (row: Row, q: string) =>
  [row['title'], row['item_key']?.replace(/@.*$/, ''), row['reason_code']].some((text) =>
    text?.toLowerCase().includes(q.toLowerCase()),
  )
const isOfItem = (row: Row, key: string) => row['item_key'] === key || row['item_key']?.startsWith(`${key}@`) === true

// The key of an item takes precedence.
const isOfTitle = (row: Row, { item_key: item, title_key: title }: Query) =>
  item !== undefined || title === undefined || title.split(' ').some((key) => isOfItem(row, key))

function routeFits(row: Row, query: Query): boolean {
  const { provider, destination_provider: destination, feature, pair_key: pair, domain = 'sync' } = query
  return (
    (domain === 'all' || domain === '' || row['domain'] === domain) &&
    (provider === undefined ||
      [row['source_provider'], row['destination_provider'], row['origin_provider']].includes(provider.toUpperCase())) &&
    (destination === undefined || row['destination_provider'] === destination) &&
    (feature === undefined || row['feature'] === feature) &&
    (pair === undefined || row['pair_key'] === pair)
  )
}

function isShown(acknowledged: boolean, { visibility = 'open' }: Query): boolean {
  return visibility === 'all' || acknowledged === (visibility === 'acknowledged')
}

function plainEvents(events: readonly Row[], groups: ReadonlyMap<number, Row>, query: Query): readonly Row[] {
  return events.filter((event) => {
    const group = groups.get(event['group_id']) as Row
    return (
      routeFits(event, query) &&
      isShown(event['acknowledged_at'] !== null || group['acknowledged_at'] !== null, query) &&
      (query['event_type'] === undefined || event['event_type'] === query['event_type']) &&
      (query['reason_code'] === undefined || event['reason_code'] === query['reason_code']) &&
      (query['item_key'] === undefined || isOfItem(event, query['item_key'])) &&
      isOfTitle(event, query) &&
      (query['run_id'] === undefined || event['run_id'] === query['run_id']) &&
      (query['q'] === undefined || has(event, query['q'])) &&
      statusFits(group, query) &&
      (query['since'] === undefined || event['created_at'] >= Number(query['since'])) &&
      (query['until'] === undefined || event['created_at'] <= Number(query['until']))
    )
  })
}

function statusFits(group: Row, { status, category }: Query): boolean {
  return (
    (status === undefined || group['status'] === status) &&
    (category === undefined || CATEGORY[category]?.includes(group['status']) === true)
  )
}

function plainGroups(
  events: readonly Row[],
  groups: ReadonlyMap<number, Row>,
  route: ReadonlyMap<number, Row>,
  query: Query,
): readonly Row[] {
  return [...groups.values()].filter((group) => {
    const members = events.filter(
      (event) =>
        event['group_id'] === group['id'] &&
        isShown(event['acknowledged_at'] !== null || group['acknowledged_at'] !== null, query),
    )
    // A run group shows no route of its own; it is found by the route of its latest event.
    return (
      routeFits({ ...group, ...route.get(group['id']), domain: group['domain'] }, query) &&
      isShown(group['acknowledged_at'] !== null, query) &&
      statusFits(group, query) &&
      (query['event_type'] === undefined || members.some((event) => event['event_type'] === query['event_type'])) &&
      (query['run_id'] === undefined || members.some((event) => event['run_id'] === query['run_id'])) &&
      (query['reason_code'] === undefined || group['reason_code'] === query['reason_code']) &&
      (query['item_key'] === undefined || isOfItem(group, query['item_key'])) &&
      isOfTitle(group, query) &&
      (query['q'] === undefined ||
        has({ ...group, reason_code: null }, query['q']) ||
        members.some((event) => event['reason_code']?.includes((query['q'] as string).toLowerCase()) === true) ||
        (group['summary_parts'].note ?? '').toLowerCase().includes((query['q'] as string).toLowerCase())) &&
      (query['since'] === undefined || group['last_event_at'] >= Number(query['since'])) &&
      (query['until'] === undefined || group['last_event_at'] <= Number(query['until']))
    )
  })
}

const sorted = (rows: readonly Row[], at: string, order: string | undefined) =>
  rows.toSorted((a, b) => (a[at] - b[at] || a['id'] - b['id']) * (order === 'oldest' ? 1 : -1)).map(({ id }) => id)

/** All rows, page by page. */
async function everything(
  archive: Opened,
  path: string,
  query: Query,
  limit: number,
): Promise<{ readonly ids: readonly number[]; readonly total: number; readonly items: readonly Row[] }> {
  const items: Row[] = []
  let [after, total] = ['', 0]
  do {
    const page = await archive.get(
      `${path}?${new URLSearchParams({ ...query, limit: String(limit), after }).toString()}`,
    )
    items.push(...page.items)
    after = page.next ?? ''
    total = page.total
  } while (after !== '')
  return { ids: items.map(({ id }) => id), total, items }
}

t.test('lists equal a plain scan of the rows', async (t) => {
  await fc.assert(
    fc
      .asyncProperty(
        fc.array(event, { minLength: 1, maxLength: 60 }),
        fc.array(filter, { minLength: 6, maxLength: 10 }),
        fc.array(fc.nat(20), { maxLength: 4 }),
        roads,
        async (records, filters, marks, limits) => {
          Object.assign(INDEX_LIMITS, limits)
          await using archive = await openArchive()
          await archive.record(...records)
          for (const mark of marks)
            await archive.post(mark % 2 === 0 ? `groups/${mark}/acknowledge` : `${mark}/acknowledge`)
          // The mark itself is recorded at the current time, after all other events.
          const all = { visibility: 'all', domain: 'all', until: String(AT / 1_000 + 30) }
          const { items: events } = await everything(archive, 'search', { ...all, view: 'events' }, 500)
          const groups = new Map(
            (await everything(archive, 'groups', all, 500)).items.map((group) => [group['id'] as number, group]),
          )
          const route = await routesOf(archive)
          for (const query of filters.map((each) => ({ until: all.until, ...each }) as Query)) {
            const name = JSON.stringify(query)
            const wanted = sorted(plainEvents(events, groups, query), 'created_at', query['order'])
            const found = await everything(archive, 'search', { ...query, view: 'events' }, 7)
            if (found.total !== wanted.length || JSON.stringify(found.ids) !== JSON.stringify(wanted))
              throw new Error(
                `events ${name}: ${JSON.stringify(found.ids)} of ${found.total}, not ${JSON.stringify(wanted)}`,
              )
            const wantedGroups = sorted(plainGroups(events, groups, route, query), 'last_event_at', query['order'])
            const foundGroups = await everything(archive, 'groups', query, 7)
            if (
              foundGroups.total !== wantedGroups.length ||
              JSON.stringify(foundGroups.ids) !== JSON.stringify(wantedGroups)
            )
              throw new Error(
                `groups ${name}: ${JSON.stringify(foundGroups.ids)} of ${foundGroups.total}, not ${JSON.stringify(wantedGroups)}`,
              )
            const offset = await archive.get(
              `search?${new URLSearchParams({ ...query, view: 'events', limit: '5', offset: '3' }).toString()}`,
            )
            if (JSON.stringify(offset.items.map(({ id }: Row) => id)) !== JSON.stringify(wanted.slice(3, 8)))
              throw new Error(`offset ${name}`)
            // The tree contains every group that matches and is not hidden with its run, once at the top or below the runs in
            // which it had problems.
            const tree = await everything(archive, 'tree', query, 3)
            if (tree.total !== tree.items.length || new Set(tree.ids).size !== tree.ids.length)
              throw new Error(`tree ${name}: ${tree.total} is not ${tree.items.length}`)
            for (const { children, children_total: count } of tree.items) {
              if (children.length !== count || children.some(({ id }: Row) => !wantedGroups.includes(id)))
                throw new Error(`children ${name}`)
            }
            for (const { id } of tree.items.filter(({ children }) => children.length === 0))
              if (!wantedGroups.includes(id)) throw new Error(`top ${name}`)
          }
          await checkCounters(archive)
        },
      )
      .afterEach(() => {
        Object.assign(INDEX_LIMITS, standard)
      }),
    { numRuns: runsOf(12) },
  )
  t.pass('over random archives, filters and marks')
})

/** The route of a group: from its most complete event, the latest among equals. */
async function routesOf(archive: Opened): Promise<ReadonlyMap<number, Row>> {
  const { items } = await everything(
    archive,
    'search',
    { visibility: 'all', domain: 'all', view: 'events', order: 'oldest' },
    500,
  )
  const weight = (row: Row) =>
    ['pair_key', 'source_provider', 'destination_provider'].filter((name) => row[name] !== null).length
  const best = items.toSorted((a, b) => weight(a) - weight(b) || a['created_at'] - b['created_at'] || a['id'] - b['id'])
  return new Map(
    best.map(({ group_id: id, source_provider, destination_provider, origin_provider, feature, pair_key }) => [
      id,
      { source_provider, destination_provider, origin_provider, feature, pair_key },
    ]),
  )
}

async function checkCounters(archive: Opened): Promise<void> {
  const status = await archive.get('status')
  const { items } = await everything(archive, 'search', { visibility: 'all', domain: 'all', view: 'events' }, 500)
  const hidden = await everything(archive, 'search', { visibility: 'acknowledged', domain: 'all', view: 'events' }, 500)
  if (status.events !== items.length || status.acknowledged !== hidden.ids.length)
    throw new Error(
      `the counters say ${status.events} and ${status.acknowledged}, there are ${items.length} and ${hidden.ids.length}`,
    )
}

t.test('results are the same for many and few rows', async (t) => {
  await using archive = await openArchive()
  await archive.record(
    started('r1', AT),
    failed('r1', HEAT, { atMs: AT + 1_000 }),
    wrote('r1', HEAT, { atMs: AT + 2_000 }),
    failed('r1', ALIEN, { atMs: AT + 3_000 }),
    finished('r1', AT + 4_000),
    started('r2', AT + 5_000),
    wrote('r2', ALIEN, { atMs: AT + 6_000 }),
    finished('r2', AT + 7_000),
  )
  const all = 'visibility=all&domain=sync'
  const ids = async (path: string) => (await archive.get(path)).items.map(({ id }: Row) => id)
  const groups = async (query: string) => {
    const { items, total } = await archive.get(`groups?${query}`)
    t.equal(total, items.length, query)
    return items.map(({ title, run_id: run }: Row) => title ?? run)
  }
  const [[ofHeat], events] = [
    await ids('search?view=events&event_type=write_failed&q=heat'),
    await ids(`search?view=events&${all}`),
  ]
  await archive.post(`${ofHeat}/acknowledge`)
  t.teardown(() => void Object.assign(INDEX_LIMITS, standard))
  Object.assign(INDEX_LIMITS, { few: -1, some: -1, narrow: -1, known: -1 })

  t.same(
    await groups('event_type=write_failed'),
    ['Alien'],
    'an event that is out of sight says nothing about its group',
  )
  t.same(await groups('event_type=write_failed&visibility=all'), ['Alien', 'Heat'])
  t.same(await groups('event_type=write_succeeded'), ['Alien', 'Heat'])
  t.same(await groups('q=run'), ['r2', 'r1'], 'runs have no title')
  t.same(await groups('q=A&event_type=write_failed'), ['Alien'])
  for (const order of ['newest', 'oldest']) {
    const wanted = order === 'newest' ? events : events.toReversed()
    for (let offset = 0; offset <= events.length + 1; offset += 1) {
      const page = await archive.get(`search?view=events&${all}&order=${order}&limit=1&offset=${offset}`)
      t.same(
        page.items.map(({ id }: Row) => id),
        wanted.slice(offset, offset + 1),
        `${order} from ${offset}`,
      )
      t.equal(page.next === null, offset + 1 >= events.length)
    }
  }
  await archive.post('clear', { confirm: true, domain: 'sync', before: AT / 1_000 + 4 })
  t.same(await groups('event_type=write_failed&visibility=all'), [], 'nor does one that is gone')
  t.same(await groups('event_type=write_succeeded'), ['Alien'])
  await archive.post('correlate')
  t.same(await groups('event_type=write_succeeded'), ['Alien'])
})

t.test('groups are the same whether events arrive one by one or all at once', async (t) => {
  const shown = async (archive: Opened) => {
    const { items } = await everything(archive, 'groups', { visibility: 'all', domain: 'all' }, 500)
    return items
      .map(
        ({
          id: _id,
          created_at: _created,
          updated_at: _updated,
          owner_run_group_id: _owner,
          group_hash: hash,
          ...group
        }) => [group['domain'] === 'audit' ? '' : hash, group],
      )
      .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .filter(([hash]) => hash !== '')
  }
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 40 }), async (records) => {
      const inOrder = records.toSorted((a, b) => (a.atMs as number) - (b.atMs as number))
      await using single = await openArchive()
      for (const record of inOrder) await single.record(record)
      await using many = await openArchive()
      await many.record(...inOrder)
      const [wanted, found] = [JSON.stringify(await shown(single)), JSON.stringify(await shown(many))]
      if (wanted !== found) throw new Error(`${found}, not ${wanted}`)
      await checkCounters(many)
    }),
    { numRuns: runsOf(12) },
  )
  t.pass('over random events')
})

t.test('consecutive pages repeat and omit nothing while events are added', async (t) => {
  await using archive = await openArchive()
  const make = (index: number): EventRecord => ({
    type: 'write_succeeded',
    run_id: 'r',
    operation: 'add',
    item: { key: `movie:tmdb:${index}` },
    atMs: AT + (index % 50) * 1_000,
  })
  await archive.record(...Array.from({ length: 700 }, (_, index) => make(index)))
  const before = (await everything(archive, 'search', { view: 'events' }, 500)).ids
  let writing = true
  const writer = (async () => {
    for (let index = 0; writing; index += 1) {
      await archive.record({ ...make(1_000 + index), atMs: Date.now() })
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  })()
  const { ids } = await everything(archive, 'search', { view: 'events' }, 11)
  writing = false
  await writer
  t.equal(new Set(ids).size, ids.length)
  t.same(
    ids.filter((id) => before.includes(id)),
    before,
  )
})
