// The process is killed at any statement of an undo, or the undo is interrupted: the next runs end as if the undo had been
// made, or as if it had not.
import t from 'tap'
import { stepOf } from '../../fast-check.ts'
import type { Feature } from '@playhead/sdk'
import type { FakeAccount } from '../sync/world/account.ts'
import { entryOf } from '../sync/world/scenario.ts'
import { Crash } from '../sync/world/world.ts'
import type { Work } from '../sync/world/works.ts'
import { settled } from './support.ts'

/** Of the statements at which it is killed. */
const { step: STEP, first: FIRST } = stepOf(5)
const ON = { enabled: true, add: true, remove: true }

const CHANGES: Readonly<Record<string, (account: FakeAccount, feature: Feature, film: Work) => void>> = {
  'a removal': (account, feature, film) => void account.drop(feature, film),
  'an add': (account, feature, film) => account.put(entryOf(feature, film, 5)),
}

interface Lived {
  readonly feature: Feature
  readonly what: string
  readonly undated: boolean
  /** Its result cannot be stored, as on a full disk, and the process continues. */
  readonly goesOn?: boolean
}

async function lived(
  { feature, what, undated, goesOn = false }: Lived,
  crashAt: number | undefined,
  isUndone: boolean,
) {
  const { world, ann, ben, films } = await settled({
    count: 4,
    features: { [feature]: ON },
    prepare(...both) {
      for (const account of both) account.undated = undated
    },
  })
  await using _world = world
  world.settings = { ...world.settings, enable_remove: true, removal_ratio: 1 }
  const film = films[1]!
  if (what === 'an add') {
    ann.drop(feature, film)
    for (let run = 0; run < 2; run += 1) await world.run()
  }
  CHANGES[what]!(ann, feature, film)
  const { report } = await world.run()
  let hasEnded = true
  if (isUndone) {
    if (crashAt !== undefined) world.crashAfter(crashAt)
    const order = { runId: 'undo-1', pairs: world.pairs, settings: world.settings, startedAtMs: world.nowMs }
    const undo = await world.engine
      .undo(order, { event() {} }, new AbortController().signal, report.run_id)
      .catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error
      })
    hasEnded = undo?.result === 'ok'
    if (goesOn) world.recoverDatabase()
    else await world.restart()
  }
  for (let run = 0; run < 4; run += 1) {
    world.advance(60_000)
    await world.run()
  }
  const end = [ann, ben].map((account) => account.of(feature).filter(({ work }) => work === film).length).join()
  return { end, hasEnded }
}

for (const undated of [false, true])
  for (const feature of ['watchlist', 'history'] as const)
    for (const what of Object.keys(CHANGES))
      for (const goesOn of [false, true]) {
        const how = `${goesOn ? 'cut short' : 'killed'}; the undo of ${what}, ${feature}`
        t.test(`P96 ${how}${undated ? ', without dates' : ''}`, async (t) => {
          const life = { feature, what, undated, goesOn }
          const [undone, left] = [(await lived(life, undefined, true)).end, (await lived(life, undefined, false)).end]
          t.comment(`${undone} or ${left}`)
          const wrong: string[] = []
          for (let crashAt = FIRST; ; crashAt += STEP) {
            const { end, hasEnded } = await lived(life, crashAt, true)
            if (end !== undone && end !== left) wrong.push(`${crashAt}: ${end}`)
            if (hasEnded) break
          }
          t.same(wrong, [])
        })
      }
