// Any action of a person, then kill -9 at any statement of a run or between a stored write and its response: after five runs
// every account has what the person intended, and no play exists twice. PLAYHEAD_LIVES: lives of each kind; PLAYHEAD_SEED: the
// first seed.
import t from 'tap'
import { stepOf } from '../../fast-check.ts'
import { FakeAccount } from '../sync/world/account.ts'
import { entryOf, seeded } from '../sync/world/scenario.ts'
import { Crash, createWorld, pairOf } from '../sync/world/world.ts'
import {
  type Act,
  type End,
  FILMS,
  type Killed,
  KINDS,
  type Life,
  live,
  nameOf,
  SHAPES,
  STARTS_MS,
} from './killed-lives.ts'

const LIVES = Number(process.env['PLAYHEAD_LIVES'] ?? 1)
const FIRST = Number(process.env['PLAYHEAD_SEED'] ?? 1)
/** Of the statements of a run. */
const STEP = 61
/** Of the kinds of rows. */
const { step: EVERY, first: FIRST_KIND } = stepOf(1)
const isChosen = (_: unknown, index: number) => index % EVERY === FIRST_KIND
const KILLS = 2
/** Only these, if one pair follows another, because their runs take longer. */
const FEW = KINDS.filter(({ feature, undated }) => feature !== 'progress' && undated !== true)
const SHAPE_NAMES = Object.keys(SHAPES) as Life['shape'][]

const isRight = ({ wrong, doubled }: End) => wrong.length + doubled.length === 0
const isLike = (one: End, other: End) => one.wrong.join('\n') === other.wrong.join('\n')
const text = (life: Life, kill: Killed, { wrong, doubled, log }: End) =>
  [`${nameOf(life)}, ${JSON.stringify(kill)}`, ...doubled.map((each) => `twice: ${each}`), ...wrong, ...log].join('\n')

t.setTimeout(0)

/** The statements of a round in steps, and each of its writes: stored, partially stored, not stored. */
function killsOf({ statements, writes }: End, round: number, step: number, offset = 0): Killed[] {
  const kills = Array.from({ length: writes[round]! }).flatMap((_, write): Killed[] => [
    { round, write },
    { round, write, stored: 'half' },
    { round, write, stored: 'nothing' },
  ])
  for (let statement = offset % step; statement < statements[round]!; statement += step)
    kills.push({ round, statement })
  return kills
}

for (const shape of SHAPE_NAMES)
  t.test(`P96 removed, added again with a date before the removal, and killed (${shape})`, async (t) => {
    const wrong: string[] = []
    let killed = 0
    const kinds = (shape.length > 7 ? FEW : KINDS).filter(isChosen)
    for (const [seed, kind] of kinds.entries()) {
      const life: Life = { ...kind, shape, seed }
      const film = FILMS[1]!
      // The service sets the time of positions.
      const atMs = STARTS_MS - (kind.feature === 'progress' ? 0 : 3_600_000)
      const entry = { ...entryOf(kind.feature, film, 8), atMs }
      const before = { ...entryOf(kind.feature, film, 5), atMs: STARTS_MS - 48 * 3_600_000 }
      const keyAt = (ms: number) => (kind.plays === true ? `${film.name}@${Math.floor(ms / 1_000)}` : film.name)
      const acts: Act[] = [
        { round: 0, account: 'ANN', film: film.name, key: keyAt(before.atMs) },
        // A play is restored unchanged.
        kind.plays === true
          ? { round: 1, account: 'ANN', film: film.name, put: before, key: keyAt(before.atMs) }
          : { round: 1, account: 'ANN', film: film.name, put: entry, key: keyAt(entry.atMs) },
      ]
      const calm = await live(life, [], acts)
      if (!isRight(calm)) wrong.push(text(life, { round: 1, never: true }, calm))
      for (const kill of killsOf(calm, 1, STEP, seed * 13)) {
        // There is only one item to write.
        if (kill.stored === 'half') continue
        killed += 1
        const end = await live(life, [kill], acts)
        if (!isRight(end)) wrong.push(text(life, kill, end))
      }
    }
    t.ok(killed >= kinds.length)
    t.same(wrong, [])
  })

for (const shape of SHAPE_NAMES)
  t.test(`P96 any acts, and killed at any moment (${shape}, ${LIVES} lives of each kind from ${FIRST})`, async (t) => {
    const wrong: string[] = []
    let killed = 0
    let left = 0
    for (const kind of KINDS.filter(isChosen))
      for (let seed = FIRST; seed < FIRST + LIVES; seed += 1) {
        const life: Life = { ...kind, shape, seed }
        const calm = await live(life, [])
        const random = seeded(seed * 31 + KINDS.indexOf(kind))
        const kills = [0, 1, 2].flatMap((round) => killsOf(calm, round, 3))
        for (let count = 0; count < KILLS && kills.length > 0; count += 1) {
          const kill = kills[Math.floor(random() * kills.length)]!
          killed += 1
          const end = await live(life, [kill])
          if (isRight(end)) continue
          // The same differences without a kill, with the run or without it, are not due to the kill. They must be listed.
          const whole = await live(life, [], end.acts)
          const without = await live(life, [{ round: kill.round, never: true }], end.acts)
          const isKills = isRight(whole) && isRight(without)
          if (isKills || end.unlisted.length + end.doubled.length > 0) wrong.push(text(life, kill, end))
          else if (!isLike(end, whole) && !isLike(end, without)) left += 1
        }
      }
    t.comment(`${killed} kills, ${left} left out`)
    t.ok(left <= killed / 4, 'few lives have other differences without a kill')
    t.same(wrong, [])
  })

// Without its tombstone, a pair that does not know of the removal would restore the item.
for (const kind of FEW)
  t.test(
    `P96 items that a killed run removed are not restored by another pair (${nameOf({ ...kind, shape: 'two-way', seed: 1 })})`,
    async (t) => {
      const wrong: string[] = []
      for (const stored of [undefined, 'nothing'] as const) {
        const clock = { nowMs: STARTS_MS }
        const accounts = ['ANN', 'BEN', 'CAT'].map((id) => new FakeAccount({ id, now: () => clock.nowMs }))
        const [ann, ben, cat] = accounts as [FakeAccount, FakeAccount, FakeAccount]
        const features = { [kind.feature]: { remove: true, ...(kind.plays === true ? { rewatches: true } : {}) } }
        const pairs = [pairOf('ANN', 'BEN', { features }), pairOf('CAT', 'BEN', { mode: 'one_way', features })]
        await using world = await createWorld(accounts, pairs, clock, FILMS)
        world.settings = { ...world.settings, enable_remove: true, removal_min: 100 }
        for (const account of [ann, cat])
          for (const film of FILMS) account.put({ ...entryOf(kind.feature, film, 5), atMs: STARTS_MS - 3_600_000 })
        for (let run = 0; run < 2; run += 1) await world.run()
        ann.drop(kind.feature, FILMS[1]!)
        const { write } = ben
        ben.write = async (instance, request) => {
          if (stored === undefined) await Reflect.apply(write, ben, [instance, request])
          world.crashAfter(0)
          throw new Crash('killed before the answer')
        }
        await world.run().catch(() => {})
        ben.write = write
        await world.restart()
        for (let run = 0; run < 5; run += 1) await world.run()
        for (const account of [ann, ben])
          if (account.has(kind.feature, FILMS[1]!)) wrong.push(`${account.id}, stored: ${stored ?? 'all'}`)
        if (ben.of(kind.feature).length !== FILMS.length - 1) wrong.push('others are missing')
      }
      t.same(wrong, [])
    },
  )
