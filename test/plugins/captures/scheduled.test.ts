// slow: the whole service, or very many cases
// Scheduled captures: their labels, and their retention.
import type { CaptureJob } from '@playhead/sdk'
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { CaptureEntry } from '../../../plugins/services/captures/contract.ts'
import { cleanLabel, scheduledLabel } from '../../../plugins/services/captures/names.ts'
import { expiredOf, isValid, withChildren } from '../../../plugins/services/captures/run/retention.ts'
import { ALL, fill, startCaptures } from './world.ts'

t.setTimeout(900_000)

const NOW = Date.UTC(2026, 10, 24, 12)
const DAY_MS = 86_400_000
const JOB: CaptureJob = {
  ...{ id: 'nightly', provider: 'ANN', instance: 'default', feature: 'watchlist', label_template: '' },
  ...{ retention_days: 0, max_captures: 0, auto_delete_old: true },
}

let paths = 0
function entryOf(
  more: Partial<CaptureEntry['header']> & { readonly ageDays: number },
  rest: Partial<CaptureEntry> = {},
): CaptureEntry {
  const { ageDays, ...header } = more
  const atMs = NOW - ageDays * DAY_MS
  const created = new Date(atMs).toISOString().replace('.000Z', 'Z')
  return {
    ...{
      path: `d/${(paths += 1)}.ndjson.gz`,
      size: 1,
      mtime: Math.floor(atMs / 1_000),
      stamp: created.replaceAll(/[-:]/g, ''),
    },
    ...{ kind: 'single', format: 2, count: 1, stats: { feature: 'watchlist', count: 1 }, complete: true, account: 'x' },
    ...{ scope: null, doubt: null, unreadable: 0, children: [] },
    ...rest,
    header: {
      kind: 'snapshot',
      created_at: created,
      provider: 'ANN',
      instance: 'default',
      feature: 'watchlist',
      label: 'x',
      trigger: 'schedule',
      job_id: 'nightly',
      ...header,
    },
  }
}

const single = fc.record({
  ageDays: fc.nat({ max: 40 }),
  trigger: fc.constantFrom(
    'schedule' as const,
    'schedule' as const,
    'manual' as const,
    'pre_restore' as const,
    'pre_clear' as const,
  ),
  job_id: fc.constantFrom('nightly', 'nightly', 'weekly'),
  provider: fc.constantFrom('ANN', 'ANN', 'BEN'),
  doubt: fc.constantFrom(null, null, 'shrunk_read'),
  complete: fc.constantFrom(true, true, null),
  isBundle: fc.boolean(),
})

t.test('captures created while the clock was a year ahead do not displace those with the right time', async (t) => {
  for (const days of [0, 30]) {
    let all: readonly CaptureEntry[] = []
    const made = (ageDays: number) => {
      const one = entryOf({ ageDays })
      all = [...all, one]
      const { paths: expired } = expiredOf(
        all,
        { ...JOB, retention_days: days, max_captures: 5 },
        NOW - ageDays * DAY_MS,
      )
      t.notOk(expired.includes(one.path), `it was just made, ${ageDays}`)
      all = all.filter(({ path }) => !expired.includes(path))
      t.ok(all.length <= 5)
      return one
    }
    for (let night = 0; night < 6; night += 1) made(-365 - night)
    const right = [0, -1, -2, -3, -4, -5].map(made)
    t.same(all, right.slice(1))
  }
})

t.test(
  'property 42: retention never deletes a child of a kept bundle, a manual capture, or the newest valid one',
  () => {
    fc.assert(
      fc.property(
        fc.array(single, { maxLength: 20 }),
        fc.constantFrom('watchlist' as const, 'all' as const),
        fc.nat({ max: 30 }),
        fc.nat({ max: 4 }),
        (list, feature, retentionDays, maxCaptures) => {
          const entries = list.flatMap(({ doubt, complete, isBundle, ...header }) => {
            if (!isBundle) return [entryOf(header, { doubt, complete })]
            const bundle = entryOf({ ...header, feature: 'all' }, { kind: 'bundle', complete: true })
            const child = entryOf({ ...header, bundle_path: bundle.path }, { doubt, complete })
            return [
              { ...bundle, children: [{ feature: 'watchlist' as const, path: child.path, stats: child.stats }] },
              child,
            ]
          })
          const job = { ...JOB, feature, retention_days: retentionDays, max_captures: maxCaptures }
          const { paths: expired, matched } = expiredOf(entries, job, NOW)
          const gone = new Set(expired)
          if (gone.size !== expired.length) throw new Error('a path twice')
          const isOwn = ({ header, kind }: CaptureEntry) =>
            header.trigger === 'schedule' &&
            header.job_id === 'nightly' &&
            header.provider === 'ANN' &&
            header.feature === feature &&
            (feature === 'all' ? kind === 'bundle' : header.bundle_path === undefined)
          const own = entries.filter(isOwn)
          if (own.length !== matched) throw new Error(`${matched} matched, ${own.length} are of the job`)
          for (const entry of entries) {
            const bundle = entries.find(({ path }) => path === entry.header.bundle_path)
            if (
              gone.has(entry.path) &&
              !(isOwn(entry) || (bundle !== undefined && isOwn(bundle) && gone.has(bundle.path)))
            )
              throw new Error(`deleted ${JSON.stringify(entry.header)}`)
            if (
              entry.kind === 'bundle' &&
              gone.has(entry.path) !== withChildren(entry, entries).every((path) => gone.has(path))
            )
              throw new Error('half a bundle')
          }
          const valid = own.filter((entry) => isValid(entry, entries)).sort((a, b) => (a.stamp < b.stamp ? 1 : -1))
          if (valid.length > 0 && valid.every(({ path }) => gone.has(path))) throw new Error('no valid one stays')
          if (
            valid.length > 0 &&
            !valid.filter(({ stamp }) => stamp === valid[0]!.stamp).some(({ path }) => !gone.has(path))
          )
            throw new Error('the newest valid one is gone')
          const kept = own.filter(({ path }) => !gone.has(path))
          if (maxCaptures > 0 && kept.length > maxCaptures + 1) throw new Error(`${kept.length} stay of ${maxCaptures}`)
          if (
            retentionDays > 0 &&
            kept.some(
              (entry) =>
                entry !== valid[0] &&
                Date.parse(entry.header.created_at) < NOW - retentionDays * DAY_MS &&
                entry.stamp !== valid[0]?.stamp,
            )
          )
            throw new Error('an old one stays')
          if (maxCaptures === 0 && retentionDays === 0 && gone.size > 0) throw new Error('no limit, and deleted')
        },
      ),
      { numRuns: runsOf(400) },
    )
    return Promise.resolve()
  },
)

t.test('labels of the schedule, and of people', async (t) => {
  const of = { provider: 'ANN', instance: 'default', feature: 'watchlist' }
  const label = (template: string) => scheduledLabel({ label_template: template }, of, Date.UTC(2026, 0, 2, 3, 4, 5))
  t.equal(label(''), 'auto-ANN-watchlist-2026-01-02')
  t.equal(label('{provider_lower} {time} {datetime} {stamp}'), 'ann 030405 20260102-030405 20260102T030405Z')
  t.equal(label('{instance}.{feature}'), 'default.watchlist')
  t.equal(label('{nonsense} {provider}'), 'nonsense provider', 'a broken template is used as it is')
  t.equal(label('{provider'), 'provider')
  t.equal(cleanLabel('  a   b\u0000/../ç_"x"  '), 'a b..__x'.replace('__', '_'))
  t.equal(cleanLabel('/\\:'), 'capture')
  fc.assert(fc.property(fc.string(), (text) => /^[A-Za-z0-9._-][A-Za-z0-9._ -]{0,59}$/.test(cleanLabel(text))))
})

t.test('the schedule captures, applies retention, and reports failures', async (t) => {
  await using world = await startCaptures()
  const ann = world.account()
  fill(ann, ALL.slice(0, 6))
  const manual = await world.create({ label: 'mine' })
  const run = (json: object) => world.service.json('/api/scheduling/trigger_now', { json })
  const job = {
    id: 'nightly',
    provider: 'ANN',
    instance: 'default',
    feature: 'all',
    max_captures: 2,
    auto_delete_old: true,
    label_template: 'night {feature}',
  }
  for (let runs = 0; runs < 4; runs += 1) {
    const { status, body } = await run({ capture: job })
    t.match([status, body.ok], [200, true], JSON.stringify(body))
  }
  const listed = await world.list()
  t.equal(listed.filter(({ is_bundle: isBundle }) => isBundle).length, 2)
  t.equal(listed.length, 2 * 5 + 1)
  t.match(
    listed.find(({ is_bundle: isBundle }) => isBundle),
    { label: 'night all', trigger: 'schedule', job_id: 'nightly' },
  )
  t.ok(listed.some(({ path }) => path === manual.path))
  ann.readFault = 'partial'
  const failed = await run({ capture: job })
  t.not(failed.body.ok, true, JSON.stringify(failed.body))
  ann.readFault = undefined
  t.equal((await world.list()).length, 11, 'a failure deletes nothing')
})
