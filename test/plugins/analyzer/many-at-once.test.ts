// Many plays in one second: the rule against a simple model, over random histories in random orders and pages of every size.
import assert from 'node:assert/strict'
import t from 'tap'
import type { AnalyzerAccount, AnalyzerPage, AnalyzerRow, AnalyzerWorld, Item } from '@playhead/sdk'
import plugin from '../../../plugins/analyzers/impossible-times/index.ts'
import fc, { runsOf } from '../../fast-check.ts'
import { episode, film, row } from './world.ts'

const START = Date.UTC(2024, 0, 1)
const ACCOUNTS = ['A', 'B'].map(
  (provider): AnalyzerAccount => ({
    provider,
    instance: 'default',
    name: provider,
    label: provider,
    group: 'other',
    isConfigured: true,
    exists: true,
  }),
)

interface Play {
  readonly work: number
  readonly form: 'film' | 'part' | 'part without its show' | 'part of a title'
  readonly second: number
  readonly isDay: boolean
}

const play: fc.Arbitrary<Play> = fc.record({
  work: fc.integer({ min: 0, max: 3 }),
  form: fc.constantFrom('film', 'part', 'part without its show', 'part of a title'),
  second: fc.integer({ min: 0, max: 2 }),
  isDay: fc.integer({ min: 0, max: 19 }).map((one) => one === 0),
})

/** Works of the same number but different form are different works. */
function itemOf({ work, form }: Play, number: number): Item {
  if (form === 'film') return film(work)
  const part = episode(work, 1, number)
  if (form === 'part') return part
  const ids = form === 'part of a title' ? {} : { tvdb: String(10_000 + number) }
  return { ...part, show_ids: {}, ids, series_title: `${form} ${work}` }
}

function rowOf(play: Play, number: number): AnalyzerRow {
  const atMs = START + play.second * 1_000
  const watched = new Date(atMs).toISOString()
  const item = { ...itemOf(play, number), watched_at: play.isDay ? watched.slice(0, 10) : watched }
  return {
    ...row(item),
    atMs,
    isDay: play.isDay,
    rating: 0,
    isLatest: true,
    copyOf: undefined,
    peers: [],
    released: undefined,
    known: undefined,
  }
}

/** "Many" means ten rows and three works. */
function model(plays: readonly Play[]): readonly string[] {
  return [0, 1, 2].flatMap((second) => {
    const own = plays.filter((one) => one.second === second && !one.isDay)
    const works = new Set(own.map(({ form, work }) => `${form} ${work}`))
    return own.length >= 10 && works.size >= 3 ? [`${second} ${own.length}`] : []
  })
}

function found(histories: readonly (readonly Play[])[], pageSize: number): readonly string[][] {
  const pass = plugin.rule.begin!({ nowMs: START + 1_000_000_000 } as AnalyzerWorld)
  const all = histories.flatMap((plays, at) => {
    const rows = plays.map(rowOf)
    const account = ACCOUNTS[at]!
    const pages = (feature: AnalyzerPage['feature']) =>
      Array.from({ length: Math.ceil(rows.length / pageSize) }, (_, page) =>
        pass.inspect!({ account, feature, rows: rows.slice(page * pageSize, (page + 1) * pageSize) }),
      )
    return [...pages('history'), ...pages('ratings')].flatMap((one) => [...one])
  })
  const many = [...all, ...pass.end!([])].filter(({ type }) => type === 'many_at_once')
  return histories.map((_, at) =>
    many
      .filter((one) => one.account === ACCOUNTS[at])
      .map(({ fields, feature }) => {
        assert.equal(feature, 'history')
        return `${(Date.parse(fields!['at'] as string) - START) / 1_000} ${fields!['count']}`
      })
      .toSorted(),
  )
}

t.test('the rule finds what the model finds, for any order and pages', async (t) => {
  const plays = fc.array(play, { minLength: 20, maxLength: 60 })
  let many = 0
  fc.assert(
    fc.property(plays, plays, (one, two) => {
      const expected = [model(one), model(two)]
      many += expected.flat().length
      for (let size = 1; size <= 61; size += 1) assert.deepEqual(found([one, two], size), expected)
    }),
    { numRuns: runsOf(40) },
  )
  t.ok(many > runsOf(20), 'the cases are not all empty')
})

t.test('the first of a group may be the only one of its work', async (t) => {
  const group = (works: readonly number[]) =>
    works.map((work): Play => ({ work, form: work === 0 ? 'film' : 'part', second: 0, isDay: false }))
  for (const works of [
    [0, 1, 1, 1, 1, 1, 1, 1, 1, 2],
    [0, 1, 2, 2, 2, 2, 2, 2, 2, 2],
    [1, 1, 1, 1, 2, 2, 2, 2, 2, 0],
  ])
    for (let size = 1; size <= 10; size += 1) t.strictSame(found([group(works)], size), [['0 10']], `pages of ${size}`)
})
