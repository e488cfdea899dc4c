// The effective configuration: the existing ways, and the values of each.
import t from 'tap'
import { makeEffective, needsOf } from '../../../plugins/services/scrobble/config/effective.ts'
import { createWorlds } from '../../../plugins/services/scrobble/world.ts'
import { ACCOUNTS, DESCRIPTIONS, ROUTE, settings } from './world.ts'

const effective = (section: object) => makeEffective(settings(section), ACCOUNTS, DESCRIPTIONS)
const profile = (more: object = {}) => ({ sinks: ['TRACKA'], ...more })

t.test('a source works with its switch and at least one use', (t) => {
  const watch = { routes: [ROUTE] }
  const webhook = { profiles: { MEDIAA: { default: profile() } } }
  const sources = (section: object) => effective(section).sources
  t.same(sources({ enabled: true, sources: { watcher: true, webhook: true } }), { watcher: false, webhook: false })
  t.same(sources({ enabled: true, watch, webhook }), { watcher: true, webhook: true }, 'on until somebody says no')
  t.same(sources({ enabled: true, watch, webhook, sources: { watcher: false } }), { watcher: false, webhook: true })
  t.same(sources({ enabled: false, watch, webhook }), { watcher: false, webhook: false })
  t.same(sources({ enabled: true, watch: { routes: [{ ...ROUTE, enabled: false }] } }), {
    watcher: false,
    webhook: false,
  })
  t.end()
})

t.test('ways exist between connected accounts of capable providers', (t) => {
  const routes = [
    ROUTE,
    { ...ROUTE, id: 'R2', sink_instance: 'TRACKA-P02' },
    { ...ROUTE, id: 'R3', sink: 'GONE' },
    { ...ROUTE, id: 'R4', provider: 'METAA' },
    { ...ROUTE, id: 'R5', provider: 'MEDIAB', sink: 'DIARY' },
    { ...ROUTE, id: 'R6', enabled: false },
  ]
  const profiles = {
    BARN: { default: profile({ sinks: ['DIARY', 'TRACKA'], sink_instances: { TRACKA: 'TRACKA-P01' } }) },
    MEDIAA: { default: profile({ enabled: false }), 'MEDIAA-P01': profile() },
  }
  const { lanes } = effective({ enabled: true, watch: { routes }, webhook: { profiles } })
  t.same(
    lanes.map(({ id, method }) => `${method} ${id}`),
    [
      'watcher R1',
      'watcher R5',
      'webhook BARN:default:DIARY:default',
      'webhook BARN:default:TRACKA:TRACKA-P01',
      'webhook MEDIAA:MEDIAA-P01:TRACKA:default',
    ],
  )
  t.same(lanes.at(-1)?.libraries, ['3', '5'], 'the libraries of the source profile')
  t.same(lanes[0]?.filters.username_whitelist, [])
  t.end()
})

t.test('specific settings win: option, tracker, general', (t) => {
  const { lanes } = effective({
    enabled: true,
    auto_remove_watchlist: true,
    policy: {
      watched_at: 88,
      TRACKB: { watched_at: 70, pause_debounce_seconds: 9 },
      SVC: { stop_pause_threshold: 60 },
    },
    watch: {
      pause_debounce_seconds: 7,
      suppress_start_at: 98,
      routes: [
        ROUTE,
        {
          ...ROUTE,
          id: 'R2',
          sink: 'TRACKB',
          options: { auto_remove_watchlist: 'off', scrobble: { watched_at: 60 }, watch: { suppress_start_at: 50 } },
        },
        { ...ROUTE, id: 'R3', sink: 'SVC' },
      ],
    },
    webhook: {
      guard_autoplay_seconds: 5,
      suppress_start_at: 97,
      providers: { mediaa: { suppress_start_at: 96, pause_debounce_seconds: 2 } },
      profiles: {
        MEDIAA: { default: profile({ sinks: ['TRACKB'], pause_debounce_seconds: 1, start_guard_min_progress: 3 }) },
      },
    },
  })
  const [plain, smooth, own, hook] = lanes.map(({ thresholds }) => thresholds)
  t.same(plain, {
    watchedAt: 88,
    forceStopAt: 95,
    progressStep: 25,
    stopPauseThreshold: 80,
    regressTolerance: 5,
    suppressStartAt: 98,
    pauseDebounceMs: 7_000,
    guardAutoplayMs: 0,
    startGuardMinProgress: 0,
  })
  t.match(smooth, { watchedAt: 60, stopPauseThreshold: 85, pauseDebounceMs: 9_000, suppressStartAt: 50 })
  t.match(own, { stopPauseThreshold: 60 })
  t.match(hook, {
    watchedAt: 70,
    suppressStartAt: 96,
    pauseDebounceMs: 1_000,
    guardAutoplayMs: 5_000,
    startGuardMinProgress: 3,
  })
  t.same(
    lanes.map(({ autoRemove }) => autoRemove),
    [true, false, true, true],
  )
  t.end()
})

t.test('an explicit zero is a value', (t) => {
  const { lanes } = effective({
    enabled: true,
    watch: { routes: [{ ...ROUTE, options: { watch: { pause_debounce_seconds: 0 }, scrobble: { watched_at: 0 } } }] },
  })
  t.match(lanes[0]?.thresholds, { pauseDebounceMs: 0, watchedAt: 0 })
  t.end()
})

t.test('only data that a filter needs is looked up, and the result is read-only', (t) => {
  const routes = [ROUTE, { ...ROUTE, id: 'R2', provider_instance: 'MEDIAA-P01', filters: { ignored_editions: ['x'] } }]
  const { lanes } = effective({ enabled: true, watch: { routes } })
  t.same(needsOf(lanes.slice(0, 1)), {})
  t.same(needsOf(lanes), { libraries: true, files: true })
  t.ok(Object.isFrozen(lanes[0]?.filters.username_whitelist))
  t.end()
})

t.test('work that reads the configuration begins although its listeners wait for this work', async (t) => {
  const worlds = createWorlds({
    config: settings({ enabled: true, watch: { routes: [ROUTE] } }),
    use: () => ({ list: async () => ACCOUNTS, providers: async () => DESCRIPTIONS }),
    onConfigChange() {},
    tap() {},
    events: { on() {} },
  } as never)
  const followed: number[] = []
  let begun: Promise<unknown> | undefined
  // As a webhook and a changed account both boot the scrobbler.
  const begin = () => (begun ??= worlds.read())
  worlds.onChange(async ({ effective: { lanes } }) => {
    await begin()
    followed.push(lanes.length)
  })
  const waited = Symbol('waited')
  const tooLong = new Promise((resolve) => setTimeout(resolve, 2_000, waited).unref())
  t.not(await Promise.race([begin(), tooLong]), waited)
  await worlds.refresh()
  t.same(followed, [1], 'a refresh ends when the listeners follow')
})
