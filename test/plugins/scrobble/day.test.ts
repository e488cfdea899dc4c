// A household's days as a property: the plays that the scrobbler counts equal the plays that people watched, whether watchers,
// webhooks or both report them.
import t from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import { live, type Sitting, sitting, wire, type Wire } from './household.ts'
import { named, recorded, scrobble } from './scrobbler.ts'

t.test('plays recorded equal plays watched', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(sitting, { minLength: 1, maxLength: 8 }), wire, async (sittings, way) => {
      const { reports, plays, isAmbiguous } = live(sittings, way)
      fc.pre(!isAmbiguous)
      const found = recorded(await scrobble(reports))
      if (JSON.stringify(found) !== JSON.stringify(named(plays)))
        throw new Error(`watched ${named(plays).join(', ')}; recorded ${found.join(', ')}`)
    }),
    { numRuns: runsOf(150) },
  )
  t.pass()
})

t.test('the same with a service that restarts repeatedly', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sitting, { minLength: 1, maxLength: 6 }),
      wire,
      fc.integer({ min: 1, max: 400 }),
      async (sittings, way, every) => {
        const { reports, plays, isAmbiguous } = live(sittings, way)
        fc.pre(!isAmbiguous)
        const found = recorded(await scrobble(reports, every))
        if (JSON.stringify(found) !== JSON.stringify(named(plays)))
          throw new Error(`watched ${named(plays).join(', ')}; recorded ${found.join(', ')}`)
      },
    ),
    { numRuns: runsOf(50) },
  )
  t.pass()
})

const WATCHER: Wire = {
  watcher: true,
  webhook: false,
  everySeconds: 30,
  marks: false,
  lateSeconds: [[0]],
  keptSeconds: 0,
  againSeconds: 0,
}
const WHOLE: Sitting = {
  person: 0,
  device: 0,
  film: 0,
  afterSeconds: 600,
  fromPercent: 0,
  steps: [{ does: 'finish' }],
  vanishes: false,
  lies: false,
}
const DAY_SECONDS = 86_400

/** One person's sittings with one film, and the resulting number of plays. */
const LIVES: Readonly<Record<string, readonly [readonly Partial<Sitting>[], number]>> = {
  'watched, resumed at 45 % on the same device, watched whole on another': [
    [{}, { fromPercent: 45 }, { device: 1, afterSeconds: DAY_SECONDS / 2 }],
    2,
  ],
  'switched off at its beginning, watched whole on another device, and there again the next day': [
    [
      { vanishes: true, steps: [{ does: 'pause', seconds: 6 }] },
      { device: 1, afterSeconds: 3_600 },
      { device: 1, afterSeconds: DAY_SECONDS },
    ],
    2,
  ],
  'watched on two devices at once, the first of which is switched off, and then again on the second': [
    [{ vanishes: true }, { device: 1, afterSeconds: 900 }, { device: 1, afterSeconds: 3_600 }],
    2,
  ],
}

for (const [title, [sittings, count]] of Object.entries(LIVES)) {
  t.test(title, async (t) => {
    for (const way of [WATCHER, { ...WATCHER, webhook: true }]) {
      const { reports, plays } = live(
        sittings.map((one) => ({ ...WHOLE, ...one })),
        way,
      )
      t.equal(plays.length, count, 'plays watched')
      for (const every of [Infinity, 200, 7])
        t.equal((await scrobble(reports, every)).length, count, `recorded, with a restart every ${every} reports`)
    }
  })
}
