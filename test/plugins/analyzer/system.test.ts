// The service checks: each finds its problem, and nothing in a healthy service.
import t from 'tap'
import type { OpenItem, PluginSummary, StoredArtifact, StoredPairState } from '@playhead/sdk'
import { systemOver } from './pass.ts'
import { film } from './world.ts'

const NOW = Date.UTC(2026, 5, 1)
const DAY_MS = 86_400_000
const blackbox = { promoteAfter: 3, cooldownDays: 30 }

const artifact = (kind: StoredArtifact['kind'], more: Partial<StoredArtifact> = {}): StoredArtifact => ({
  kind,
  provider: 'TRACKA',
  instance: 'default',
  feature: 'history',
  pair_id: 'p',
  entries: 1,
  oldestMs: NOW - 60_000,
  newestMs: NOW - 60_000,
  ...more,
})
const state = (more: Partial<StoredPairState> = {}): StoredPairState => ({
  pair_id: 'p',
  feature: 'history',
  problem: null,
  lastRunAtMs: NOW - 60_000,
  runs: 4,
  readAtMs: { source: NOW - 60_000, target: NOW - 60_000 },
  ...more,
})
const open = (more: Partial<OpenItem> = {}): OpenItem => ({
  pair_id: 'p',
  feature: 'history',
  provider: 'TRACKA',
  instance: 'default',
  op: 'add',
  key: 'movie:tmdb:1',
  item: film(1),
  reason_code: 'not_found',
  attempts: 1,
  failures: 0,
  quarantined: false,
  first_at_ms: NOW - 60_000,
  last_at_ms: NOW - 60_000,
  run_id: 'r',
  ...more,
})
const pairs = (enabled: boolean) => [
  { id: 'p', name: 'p', enabled, source: null as never, target: null as never, options: {} },
]
const found = (
  artifacts: readonly StoredArtifact[],
  states: readonly StoredPairState[] = [],
  items: readonly OpenItem[] = [],
  enabled = true,
) => systemOver({ nowMs: NOW, pairs: pairs(enabled), stored: { artifacts, pairs: states, blackbox }, open: items })

t.test('a healthy service has no problem', async (t) => {
  t.same(systemOver({}), [])
  t.same(
    found(
      [
        artifact('index'),
        artifact('watermarks'),
        artifact('tombstones'),
        artifact('shadow'),
        artifact('policy', { pair_id: null }),
        artifact('pair_state', { provider: null, instance: null }),
      ],
      [state(), state({ feature: 'ratings', runs: 0, readAtMs: { source: null, target: null } })],
    ),
    [],
    'what is stored as it should be is no problem, nor is a pair that never ran',
  )
})

t.test('waiting items are a note, and a warning when they wait long or were tried often', async (t) => {
  const [fresh] = found([artifact('unresolved', { hot: 0 })], [], [open()])
  t.match(fresh, {
    type: 'cw_state_unresolved_backlog',
    severity: 'info',
    account: 'TRACKA',
    feature: 'history',
    fields: {
      count: 1,
      stale: 0,
      hot: 0,
      affected_items: [{ key: 'movie:tmdb:1', label: 'Film 1', reason: 'not_found', attempts: 1 }],
    },
  })
  const [old] = found([artifact('unresolved', { hot: 0 })], [], [open({ first_at_ms: NOW - 8 * DAY_MS })])
  t.match(old, { severity: 'warn', fields: { stale: 1 } })
  t.match(found([artifact('unresolved', { hot: 1 })], [], [open({ attempts: 3 })])[0], { severity: 'warn' })
  const many = Array.from({ length: 9 }, (_, at) => open({ key: `movie:tmdb:${at}` }))
  const others = [open({ provider: 'OTHER' }), open({ quarantined: true }), open({ pair_id: 'q' })]
  const [crowd] = found([artifact('unresolved', { entries: 9 })], [], [...others, ...many])
  t.same(
    crowd!.fields['affected_items'].map(({ key }: { key: string }) => key),
    many.slice(0, 5).map(({ key }) => key),
    'five of its own are shown',
  )
})

t.test('quarantined items are a warning, with the number that can be retried', async (t) => {
  const [given] = found(
    [artifact('blackbox', { entries: 2 })],
    [],
    [
      open({ quarantined: true, last_at_ms: NOW - 31 * DAY_MS }),
      open({ quarantined: true, key: 'movie:tmdb:2' }),
      open({ key: 'movie:tmdb:3' }),
    ],
  )
  t.match(given, {
    type: 'cw_state_blackbox_active',
    severity: 'warn',
    fields: { count: 2, prunable: 1, affected_items: [{ key: 'movie:tmdb:1' }, { key: 'movie:tmdb:2' }] },
  })
  t.equal(given!.fields['affected_items'].length, 2)
})

t.test('repeatedly failing items are a note, and a warning before quarantine', async (t) => {
  t.match(found([artifact('flap', { entries: 4, hot: 0 })]), [
    { type: 'cw_state_flap_active', severity: 'info', fields: { active: 4, hot: 0, promote_after: 3 } },
  ])
  t.match(found([artifact('flap', { entries: 4, hot: 1 })]), [
    { type: 'cw_state_flap_hot', severity: 'warn', fields: { hot: 1 } },
  ])
})

t.test('a read time in the future means a wrong clock; a few hours do not', async (t) => {
  const at = (newestMs: number) => found([artifact('watermarks', { newestMs })])
  t.match(at(NOW + 2 * DAY_MS), [
    { type: 'cw_state_watermark_future', severity: 'warn', fields: { value: (NOW + 2 * DAY_MS) / 1_000 } },
  ])
  t.same(at(NOW + 3_600_000), [])
})

t.test('state of pairs: orphaned, unreadable, or of one side only', async (t) => {
  const stored = [artifact('pair_state', { provider: null, instance: null, entries: 7 })]
  t.match(found(stored, [], [], false), [
    { type: 'cw_state_pair_state_orphaned', severity: 'info', feature: 'history', fields: { scope: 'p', count: 7 } },
  ])
  t.match(found([], [state({ problem: 'unreadable' })]), [{ type: 'cw_state_pair_state_invalid', severity: 'error' }])
  const oneSide = state({ readAtMs: { source: NOW, target: null } })
  t.match(found([], [oneSide]), [
    { type: 'cw_state_pair_state_incomplete', severity: 'warn', fields: { missing: ['target'] } },
  ])
  t.same(found([], [oneSide], [], false), [], 'a pair that is switched off is not read')
})

t.test('just below a limit nothing is found, and just above it is', async (t) => {
  const severity = (first: number) =>
    found([artifact('unresolved', { hot: 0 })], [], [open({ first_at_ms: first })])[0]!.severity
  t.same([severity(NOW - 7 * DAY_MS), severity(NOW - 7 * DAY_MS - 1)], ['info', 'warn'])
  const prunable = (last: number) =>
    found([artifact('blackbox')], [], [open({ quarantined: true, last_at_ms: last })])[0]!.fields['prunable']
  t.same([prunable(NOW - 30 * DAY_MS), prunable(NOW - 30 * DAY_MS - 1)], [0, 1])
  const future = (newestMs: number) => found([artifact('watermarks', { newestMs })]).length
  t.same([future(NOW + DAY_MS), future(NOW + DAY_MS + 1)], [0, 1])
  t.match(found([artifact('flap', { hot: 0 }), artifact('unresolved', { hot: 0 })]), [
    { type: 'cw_state_flap_active' },
    { severity: 'info' },
  ])
})

t.test('temporary files of interrupted writes are found', async (t) => {
  const leftovers = [
    { path: 'files/captures/.playhead-0123456789abcdef.tmp', sizeBytes: 12, modifiedAtMs: NOW - DAY_MS },
  ]
  t.match(systemOver({ leftovers }), [
    { type: 'artifact_tmp_leftover', severity: 'warn', fields: { path: leftovers[0]!.path, size_bytes: 12 } },
  ])
})

t.test('plugins that do not run are found, each by name, and changes that could not be used', async (t) => {
  const plugin = (more: Partial<PluginSummary>): PluginSummary => ({
    id: 'mine',
    name: 'Mine',
    version: '1.0.0',
    kind: 'analyzer',
    state: 'active',
    generation: 1,
    faults: 0,
    reloads: 0,
    ...more,
  })
  const types = (...plugins: readonly Partial<PluginSummary>[]) =>
    systemOver({ plugins: plugins.map(plugin) }).map(({ type, severity }) => `${severity} ${type}`)
  t.same(types({}, { state: 'disabled' }, { state: 'dormant', faults: 2, reloads: 9 }), [])
  for (const [error, type] of [
    [undefined, 'plugin_load_failed'],
    ['PLH_PLUGIN_SETUP', 'plugin_load_failed'],
    ['PLH_PLUGIN_MANIFEST', 'plugin_manifest_invalid'],
    ['PLH_PLUGIN_API_RANGE', 'plugin_version_mismatch'],
    ['PLH_PLUGIN_INTEGRITY', 'plugin_version_mismatch'],
    ['PLH_PLUGIN_EXPORT', 'plugin_contract_incomplete'],
    ['PLH_CAPABILITY_MISSING', 'plugin_contract_incomplete'],
  ] as const)
    t.same(types({ state: 'failed', ...(error === undefined ? {} : { error }) }), [`error ${type}`], error ?? 'unknown')
  for (const state of ['blocked', 'quarantined', 'stuck']) t.same(types({ state }), ['error plugin_load_failed'], state)
  const edit = { code: 'PLH_PLUGIN_COMPILE', message: 'Unexpected }', file: 'index.ts', line: 3, atMs: NOW }
  t.match(systemOver({ plugins: [plugin({ edit })] }), [
    { type: 'plugin_reload_failed', severity: 'warn', fields: { module: 'mine', file: 'index.ts', line: 3 } },
  ])
})
