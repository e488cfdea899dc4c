// Twenty worlds as table data: runs, open items and switches of two pairs, with the one status that everything shows for them.
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import type { Feature } from '@playhead/sdk'
import { expectOk, signInToEmby, signInToJellyfin } from '../../demo/sign-in.ts'
import { type Service, startService } from '../../harness.ts'
import { startEmby } from '../../upstreams/emby.ts'
import { startJellyfin } from '../../upstreams/jellyfin.ts'
import type { FeatureReport } from '../../../plugins/services/sync/contract.ts'
import { briefOf } from '../../../plugins/services/sync/record/brief.ts'
import { resultOf, statusOf } from '../../../plugins/services/sync/run/run.ts'

const ON = { enabled: true, add: true, remove: true }
const EMBY = [{ provider: 'MEDIAC', instance: 'default' }]

type Report = Partial<FeatureReport> & Pick<FeatureReport, 'status'>
interface Ran {
  /** Of the first pair: history, then progress; and of the second pair: ratings. */
  readonly first?: readonly Report[]
  readonly second?: readonly Report[]
  readonly more?: object
}

export interface StatusWorld {
  readonly name: string
  /** Oldest first. */
  readonly runs: readonly Ran[]
  /** Reasons of items of the first pair and its history, with their number; of the second pair. */
  readonly open?: Readonly<Record<string, number>>
  readonly openSecond?: Readonly<Record<string, number>>
  readonly ignored?: boolean
  readonly on?: readonly [first: boolean, second: boolean]
  readonly paused?: boolean
  readonly down?: boolean
  /** The words of the whole, the first pair, and the newest run; null for a run that syncs nothing. */
  readonly whole: string
  readonly pair: string
  readonly run?: string | null
}

const OK = { status: 'ok', planned: 3, applied: 3, added: 3 } as const
const SAME = { status: 'nothing_to_do' } as const
const because = (status: 'skipped' | 'failed' | 'partial', reason: string, more: Partial<FeatureReport> = {}) =>
  ({ status, reason, about: EMBY, ...more }) as const

export const WORLDS: readonly StatusWorld[] = [
  { name: 'never ran', runs: [], whole: 'Paused', pair: 'Paused' },
  {
    name: 'a first run that only planned',
    runs: [{ first: [OK, OK], more: { dry_run: true } }],
    whole: 'Paused',
    pair: 'Paused',
    run: null,
  },
  {
    name: 'all in sync',
    runs: [{ first: [OK, SAME] }, { first: [SAME, SAME] }],
    whole: 'In sync',
    pair: 'In sync',
    run: 'In sync',
  },
  {
    name: 'open items',
    runs: [{ first: [{ ...OK, unresolved: 5 }, SAME] }],
    open: { id_mismatch: 3, refused_by_service: 2 },
    whole: '5 need you',
    pair: '5 need you',
    run: '5 need you',
  },
  {
    name: 'a single open item',
    runs: [{ first: [{ ...SAME, unresolved: 1 }, SAME] }],
    open: { ambiguous: 1 },
    whole: '1 needs you',
    pair: '1 needs you',
    run: '1 needs you',
  },
  {
    name: 'only titles that a library lacks',
    runs: [{ first: [{ ...OK, unresolved: 9, not_in_library: 9 }, SAME] }],
    open: { not_in_library: 7, episode_missing: 2 },
    whole: 'In sync',
    pair: 'In sync',
    run: 'In sync',
  },
  {
    name: 'ignored titles beside an open item',
    runs: [{ first: [{ ...OK, unresolved: 4, not_in_library: 3 }, SAME] }],
    open: { not_in_library: 3, ambiguous: 1 },
    ignored: true,
    whole: '1 needs you',
    pair: '1 needs you',
    run: '1 needs you',
  },
  {
    name: 'what a setting wants',
    runs: [{ first: [OK, SAME] }],
    open: { adds_off: 6, one_way: 2 },
    whole: 'In sync',
    pair: 'In sync',
    run: 'In sync',
  },
  {
    name: 'held removals beside open items',
    runs: [
      { first: [because('partial', 'held_mass_delete', { about: [], unresolved: 14, held: 12, planned: 14 }), SAME] },
    ],
    open: { held_mass_delete: 12, ambiguous: 2 },
    whole: '14 need you',
    pair: '14 need you',
    run: '14 need you',
  },
  {
    name: 'approved removals',
    runs: [
      { first: [because('partial', 'held_mass_delete', { about: [], unresolved: 12, held: 12, planned: 12 }), SAME] },
      { first: [{ status: 'ok', planned: 12, applied: 12, removed: 12 }, SAME] },
    ],
    whole: 'In sync',
    pair: 'In sync',
    run: 'In sync',
  },
  {
    name: 'a cancelled run',
    runs: [{ first: [OK, { status: 'cancelled', reason: 'cancelled' }], more: { result: 'cancelled' } }],
    whole: 'Paused',
    pair: 'Paused',
    run: 'Paused',
  },
  {
    name: 'a cancelled run that left items',
    runs: [
      { first: [{ status: 'cancelled', reason: 'cancelled', unresolved: 2 }, SAME], more: { result: 'cancelled' } },
    ],
    open: { ambiguous: 2 },
    whole: 'Paused',
    pair: 'Paused',
    run: 'Paused',
  },
  {
    name: 'a paused schedule',
    runs: [{ first: [OK, SAME] }],
    paused: true,
    whole: 'Paused',
    pair: 'Paused',
    run: 'In sync',
  },
  {
    name: 'a pair that is off',
    runs: [{ first: [OK, SAME] }],
    on: [false, false],
    whole: 'Paused',
    pair: 'Paused',
    run: 'In sync',
  },
  {
    name: 'an account that was down',
    runs: [{ first: [because('skipped', 'down'), because('skipped', 'down')] }],
    whole: 'Cannot reach Emby',
    pair: 'Cannot reach Emby',
    run: 'Cannot reach Emby',
  },
  {
    name: 'an account that is down since',
    runs: [{ first: [OK, SAME] }],
    down: true,
    whole: 'Cannot reach Emby',
    pair: 'Cannot reach Emby',
    run: 'In sync',
  },
  {
    name: 'signed out',
    runs: [{ first: [because('skipped', 'auth_failed'), because('skipped', 'auth_failed')] }],
    whole: '1 needs you',
    pair: '1 needs you',
    run: '1 needs you',
  },
  {
    name: 'a provider plugin that failed',
    runs: [{ first: [because('skipped', 'provider_missing'), because('skipped', 'provider_missing')] }],
    whole: 'Failed',
    pair: 'Failed',
    run: 'Failed',
  },
  {
    name: 'an undo',
    runs: [{ first: [OK, SAME] }, { first: [{ ...OK, removed: 3, added: 0 }], more: { source: 'undo' } }],
    whole: 'In sync',
    pair: 'In sync',
    run: null,
  },
  {
    name: 'a skipped feature',
    runs: [{ first: [OK, because('skipped', 'unsupported', { about: [] })] }],
    whole: '1 needs you',
    pair: '1 needs you',
    run: '1 needs you',
  },
  {
    name: 'a failed run',
    runs: [{ first: [OK, SAME] }, { first: [], more: { result: 'failed', reason: 'interrupted' } }],
    whole: 'Failed',
    pair: 'Failed',
    run: 'Failed',
  },
  {
    name: 'a partial read',
    runs: [{ first: [because('partial', 'read_incomplete', { ...OK, status: 'partial' }), SAME] }],
    whole: 'Failed',
    pair: 'Failed',
    run: 'Failed',
  },
  {
    name: 'two pairs with different states',
    runs: [{ first: [{ ...OK, unresolved: 2 }, SAME], second: [{ ...SAME, unresolved: 3 }] }],
    open: { ambiguous: 2 },
    openSecond: { refused_by_service: 3 },
    on: [true, true],
    whole: '5 need you',
    pair: '2 need you',
    run: '5 need you',
  },
  {
    name: 'two pairs, one of which failed',
    runs: [
      { first: [{ ...OK, unresolved: 2 }, SAME], second: [{ status: 'failed', reason: 'internal_error', about: [] }] },
    ],
    open: { ambiguous: 2 },
    on: [true, true],
    whole: 'Failed',
    pair: '2 need you',
    run: 'Failed',
  },
]

export type House = Awaited<ReturnType<typeof openHouse>>

/** A service with two servers and two pairs, whose tables are replaced by those of a world. */
export async function openHouse(given?: Service) {
  const stack = new AsyncDisposableStack()
  const jellyfin = await startJellyfin({ movies: 4, shows: 1 })
  stack.defer(() => jellyfin.close())
  const emby = await startEmby({ movies: 4, shows: 1 })
  stack.defer(() => emby.close())
  const service = given ?? (await startService({ shipped: true, watch: false }))
  if (given === undefined) stack.defer(() => service[Symbol.asyncDispose]())
  await signInToJellyfin(service, jellyfin)
  await signInToEmby(service, emby)
  const add = async (name: string, more: object) =>
    String(
      (await expectOk(service, '/api/pairs', { name, source: 'MEDIAB', target: 'MEDIAC', mode: 'two_way', ...more }))
        .id,
    )
  const first = await add('Attic and cellar', { enabled: true, features: { history: ON, progress: ON } })
  const second = await add('Stars', { enabled: false, mode: 'one_way', features: { ratings: ON } })
  const db = new DatabaseSync(join(service.directory, 'data/databases/sync/library.sqlite'))
  stack.defer(() => db.close())
  db.exec('pragma busy_timeout = 10000')
  let count = 0

  return {
    service,
    jellyfin,
    emby,
    pairs: [first, second] as const,
    async enter(world: StatusWorld): Promise<void> {
      count += 1
      for (const table of ['sync__run', 'sync__unresolved', 'sync__ignored']) db.exec(`delete from ${table}`)
      const startedAtMs = Date.now() - 3_600_000
      for (const [at, ran] of world.runs.entries())
        store(db, `${count}r${at}`, startedAtMs + at * 60_000, ran, [first, second])
      for (const [pair, feature, reasons] of [
        [first, 'history', world.open ?? {}],
        [second, 'ratings', world.openSecond ?? {}],
      ] as const)
        for (const [place, [reason, n]] of Object.entries(reasons).entries())
          for (let each = 0; each < n; each += 1)
            leaveOpen(db, pair, feature, reason, `movie:tmdb:${(place + 1) * 1_000 + each}`)
      emby.faults.clear()
      if (world.down === true) emby.faults.add({ kind: 'html', status: 503 })
      await expectOk(service, `/api/scheduling`, {
        enabled: world.paused === true,
        mode: 'every_n_hours',
        every_n_hours: 6,
      })
      const [isFirst, isSecond] = world.on ?? [true, false]
      // A new name changes the revision of answers, which does not know of rows that this connection wrote.
      await expectOk(service, `/api/pairs/${first}`, { name: `Attic ${count}`, enabled: isFirst }, 'PUT')
      await expectOk(service, `/api/pairs/${second}`, { enabled: isSecond }, 'PUT')
      if (world.ignored === true)
        await expectOk(service, `/api/pairs/${first}/not-in-library`, { ignored: true }, 'PUT')
      if (world.paused === true) await expectOk(service, '/api/scheduling/stop', {})
      // Checks the accounts now.
      await service.json('/api/status?fresh=1')
      // The widget keeps its numbers for some seconds.
      await expectOk(service, '/api/plugins/insights/reload', {})
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

const NONE = {
  ...{ plan_id: null, read: { a: 4, b: 4 }, planned: 0, applied: 0, already: 0, held: 0, deferred: 0 },
  ...{ unresolved: 0, not_in_library: 0, errors: 0, added: 0, updated: 0, removed: 0 },
}

function store(db: DatabaseSync, id: string, atMs: number, ran: Ran, pairIds: readonly string[]): void {
  const { first, second, more = {} } = ran
  const features: readonly (readonly Feature[])[] = [['history', 'progress'], ['ratings']]
  const pairs = [first, second].flatMap((given, at) => {
    if (given === undefined || given.length === 0) return []
    const reports = given.map((one, n): FeatureReport => ({ ...NONE, feature: features[at]![n]!, ...one }))
    return [
      {
        pair_id: pairIds[at]!,
        mode: 'two_way' as const,
        status: statusOf(reports.map(({ status }) => status)),
        features: reports,
      },
    ]
  })
  const all = pairs.flatMap((pair) => pair.features)
  const sum = (name: 'unresolved' | 'held' | 'not_in_library' | 'added' | 'updated' | 'removed') =>
    all.reduce((total, one) => total + (one[name] ?? 0), 0)
  const held = sum('held')
  const unresolved = sum('unresolved') - held
  const times = { started_at: new Date(atMs).toISOString(), finished_at: new Date(atMs + 30_000).toISOString() }
  const summary = {
    ...{ run_id: id, running: false, exit_code: 0, dry_run: false, source: 'ui', ...times, duration_sec: 30 },
    result: resultOf(pairs),
    ...{ added_last: sum('added'), updated_last: sum('updated'), removed_last: sum('removed'), skipped: 0, errors: 0 },
    ...{ unresolved, held, not_in_library: sum('not_in_library'), open: unresolved - sum('not_in_library') + held },
    ...{ features: {}, enabled: {}, provider_counts: {}, pairs },
    ...more,
  }
  db.prepare(
    'insert into sync__run (run_id, started_at_ms, finished_at_ms, summary, brief) values (?, ?, ?, ?, ?)',
  ).run(
    id,
    atMs,
    atMs + 30_000,
    JSON.stringify(summary),
    JSON.stringify(
      briefOf(
        summary as never,
        first === undefined ? [] : [pairIds[0]!, ...(second === undefined ? [] : [pairIds[1]!])],
      ),
    ),
  )
}

function leaveOpen(db: DatabaseSync, pair: string, feature: string, reason: string, key: string): void {
  const row = {
    ...{ pair_id: pair, feature, uid: 'u', op: reason === 'held_mass_delete' ? 'remove' : 'add', key },
    ...{ provider: 'MEDIAC', instance: 'default', reason, identity: '', attempts: 1, failures: 1, skip_until_run: 0 },
    item: JSON.stringify({ type: 'movie', title: `Film ${key}`, year: 2000, ids: { tmdb: '1' } }),
    ...{ first_at: Date.now() - 7_200_000, last_at: Date.now(), run_id: 'r' },
  }
  const names = Object.keys(row)
  db.prepare(`insert into sync__unresolved (${names.join()}) values (${names.map(() => '?').join()})`).run(
    ...Object.values(row),
  )
}
