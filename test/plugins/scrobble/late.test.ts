// Webhooks that arrive two days late, and films that play during a clock change.
import t from 'tap'
import { live, type Sitting, type Wire } from './household.ts'
import { scrobble } from './scrobbler.ts'
import { MINUTE_MS, START_MS } from './support.ts'

const HOUR_MS = 60 * MINUTE_MS
const WHOLE: Sitting = {
  person: 0,
  device: 0,
  film: 0,
  afterSeconds: 0,
  fromPercent: 0,
  steps: [{ does: 'finish' }],
  vanishes: false,
  lies: false,
}
const BOTH: Wire = {
  watcher: true,
  webhook: true,
  everySeconds: 30,
  marks: true,
  lateSeconds: [[0]],
  keptSeconds: 0,
  againSeconds: 0,
}

for (const hours of [47, 49]) {
  t.test(`all webhooks of an evening are repeated ${hours} hours later`, async (t) => {
    const { reports } = live([WHOLE, { ...WHOLE, afterSeconds: 600, film: 1 }], BOTH)
    const hooks = reports.filter(({ observation }) => observation.method === 'webhook')
    const nowMs = START_MS + (hours + 4) * HOUR_MS
    // Playhead queued them with their times; other queues send them all at once.
    const withTime = hooks.map(({ observation }) => ({ atMs: nowMs, observation }))
    const atOnce = hooks.map(({ observation }, n) => ({
      atMs: nowMs + n * 50,
      observation: { ...observation, atMs: nowMs + n * 50 },
    }))
    for (const [what, late] of Object.entries({ withTime, atOnce }))
      for (const first of [reports, hooks])
        for (const every of [Infinity, 3])
          t.equal((await scrobble([...first, ...late], every)).length, 2, `${what}, a restart every ${every} reports`)
    const plays = await scrobble(withTime)
    t.equal(plays.length, 2, 'nothing else told of them')
    for (const { atMs } of plays) t.ok(atMs < START_MS + 4 * HOUR_MS, 'with the time at which they were watched')
  })
}

const SWITCHES = {
  'the hour that comes twice': Date.UTC(2026, 9, 25, 0, 40),
  'the hour that is missing': Date.UTC(2027, 2, 28, 0, 40),
}

for (const [title, fromMs] of Object.entries(SWITCHES)) {
  t.test(`a film through ${title}, and again after it`, async (t) => {
    const zone = process.env['TZ']
    process.env['TZ'] = 'Europe/Berlin'
    t.teardown(() => {
      if (zone === undefined) delete process.env['TZ']
      else process.env['TZ'] = zone
    })
    t.not(new Date(fromMs).getTimezoneOffset(), new Date(fromMs + HOUR_MS).getTimezoneOffset(), 'the clocks change')
    const { reports } = live([WHOLE, { ...WHOLE, afterSeconds: 60 }], BOTH)
    const shiftMs = fromMs - START_MS
    const moved = reports.map(({ atMs, observation }) => ({
      atMs: atMs + shiftMs,
      observation: { ...observation, atMs: observation.atMs + shiftMs },
    }))
    const plays = await scrobble(moved, 50)
    t.same(
      plays.map(({ startedAtMs, atMs }) => [startedAtMs - fromMs, atMs - startedAtMs > 80 * MINUTE_MS]),
      [
        [0, true],
        [6_063_000, true],
      ],
    )
  })
}

t.test('a play without a reported end is known after a restart, when its mark arrives two days later', async (t) => {
  const { reports, plays } = live(
    [
      { ...WHOLE, fromPercent: 10, steps: [{ does: 'watch', seconds: 4_800 }], vanishes: true },
      { ...WHOLE, afterSeconds: 5, steps: [{ does: 'watch', seconds: 5_100 }, { does: 'skip_credits' }] },
    ],
    { ...BOTH, everySeconds: 6, keptSeconds: 49 * 3_600 },
  )
  t.equal(plays.length, 2)
  for (const every of [Infinity, 2, 1]) t.equal((await scrobble(reports, every)).length, 2, `every ${every} reports`)
})
