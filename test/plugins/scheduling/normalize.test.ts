// Settings: any stored or sent value is normalized to the schema, and normalizing is idempotent.
import t from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import { Ajv } from 'ajv'
import { normalizeScheduling } from '../../../plugins/services/scheduling/plan/normalize.ts'
import { entriesOf } from '../../../plugins/services/scheduling/plan/entries.ts'
import { replacing } from '../../../plugins/services/scheduling/routes/routes.ts'
import { SchedulingConfig } from '../../../plugins/services/scheduling/settings.ts'

const fits = new Ajv({ strict: false, allErrors: true }).compile(SchedulingConfig)
const LISTS = ['jobs', 'workflows', 'event_rules', 'capture_jobs', 'backup_jobs']
const NAMES = [
  'enabled',
  'mode',
  'every_n_hours',
  'daily_time',
  'custom_interval_minutes',
  'timezone',
  'jitter_seconds',
  'id',
  'pair_id',
  'at',
  'days',
  'after',
  'active',
  'steps',
  'filters',
  'route_id',
  'min_progress',
  'guardrails',
  'cooldown_minutes',
  'event',
  'url',
  'timeout_seconds',
  'scope',
  'feature',
  'provider',
]
const scalar = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(
    'custom',
    '25:61',
    '7:00',
    'Europe/Paris',
    'https://a.example',
    'ftp://x',
    '••••',
    'scrobble',
    '__proto__',
    'a',
    'job_1',
  ),
)
const thing = fc.dictionary(
  fc.constantFrom(...NAMES),
  fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.dictionary(fc.constantFrom(...NAMES), scalar)),
)
const raw = fc.oneof(
  scalar,
  fc.array(scalar),
  fc
    .tuple(
      thing,
      thing,
      fc.dictionary(fc.constantFrom(...LISTS), fc.oneof(scalar, fc.array(fc.oneof(thing, scalar), { maxLength: 4 }))),
    )
    .map(([top, webhooks, advanced]) => ({ ...top, webhooks, advanced: { enabled: true, ...advanced } })),
)

t.test('any input becomes valid settings, which stay unchanged', async () => {
  fc.assert(
    fc.property(raw, (value) => {
      const config = normalizeScheduling(value)
      if (!fits(config)) throw new Error(JSON.stringify(fits.errors))
      if (JSON.stringify(normalizeScheduling(config)) !== JSON.stringify(config))
        throw new Error('a second time changes something')
      for (const list of [
        ...LISTS.map((name) => config.advanced[name as 'jobs']),
        ...config.advanced.workflows.map(({ steps }) => steps),
      ]) {
        if (new Set(list.map(({ id }) => id)).size < list.length) throw new Error('two of the same id')
      }
      entriesOf(config)
    }),
    { numRuns: runsOf(2_000) },
  )
})

t.test('a masked address keeps the stored one, an empty one removes it', async (t) => {
  const stored = {
    webhooks: { url: 'https://a.example/1', start_url: 'https://b.example/2', failure_url: 'https://c.example/3' },
  }
  const { webhooks } = replacing({ webhooks: { url: '••••••••', start_url: '', success_url: '***' } }, stored)
  t.match(webhooks, { url: 'https://a.example/1', start_url: '', success_url: '', failure_url: '' })
})

t.test('modes: aliases and unknown words', async (t) => {
  const mode = (value: object) => normalizeScheduling(value).mode
  t.equal(mode({ mode: 'custom' }), 'custom_interval')
  t.equal(mode({ mode: 'weekly' }), 'every_n_hours')
  t.equal(mode({ mode: 'every_n_hours', every_n_hours: 1 }), 'hourly')
  t.equal(mode({ mode: 'DISABLED' }), 'disabled')
})

t.test('days and ids of rows: what cannot be read is left out, and ids stay apart', async (t) => {
  const long = 'x'.repeat(79)
  const { jobs } = normalizeScheduling({
    advanced: { jobs: [{ id: long, days: [{ toString: 1, valueOf: 1 }, '3', true, 8, 3] }, { id: `${long} y` }, 7] },
  }).advanced
  t.same(
    jobs.map(({ id, days }) => ({ id, days })),
    [
      { id: long, days: [1, 3] },
      { id: 'job_1', days: [] },
      { id: 'job_2', days: [] },
    ],
  )
})
