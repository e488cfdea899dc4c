// Rows with unusual fields from an account: none of them counts as removed.
import t from 'tap'
import type { Item, ReadPart } from '@playhead/sdk'
import { settled } from '../sync-engine/support.ts'

const ODD: readonly (readonly [name: string, odd: (row: Item) => unknown])[] = [
  ['a number for a title', (row) => ({ ...row, title: 7 })],
  ['a text for a year', (row) => ({ ...row, year: '2000' })],
  ['a number for an id', (row) => ({ ...row, ids: { tmdb: 7 } })],
  ['no ids', ({ ids: _ids, ...row }) => row],
  ['nothing for its own ids', (row) => ({ ...row, native: null })],
  ['nothing', () => null],
]

async function leftAtOther(where: 'rows' | 'gone' | 'deleted', odd: (row: Item) => unknown): Promise<number> {
  const { world, ann, ben, films } = await settled()
  await using _world = world
  const title = films[3]!.title
  const swap = (rows: readonly Item[]) =>
    rows.flatMap((row) => (row.title === title ? ([odd(row)].filter((one) => one !== undefined) as Item[]) : [row]))
  const read = ann.read.bind(ann)
  if (where === 'gone') {
    ann.drop('watchlist', films[3]!)
    ann.gone = [films[3]!]
  }
  if (where === 'deleted') {
    ann.incremental = true
    await world.run()
    ann.drop('watchlist', films[3]!)
  }
  ann.read = async function* (...given: Parameters<typeof read>): AsyncGenerator<ReadPart> {
    for await (const part of read(...given)) {
      if (part.type === 'rows') yield { ...part, rows: swap(part.rows) }
      else {
        const { gone, deleted } = part.end
        yield {
          ...part,
          end: {
            ...part.end,
            ...(gone === undefined ? {} : { gone: swap(gone) }),
            ...(deleted === undefined ? {} : { deleted: swap(deleted) }),
          },
        }
      }
    }
  }
  for (let run = 0; run < 3; run += 1) await world.run()
  return ben.of('watchlist').length
}

t.test('a row that is no longer sent is removed', async (t) => {
  t.equal(await leftAtOther('rows', () => undefined), 39)
  t.equal(await leftAtOther('gone', () => undefined), 39)
})

for (const [name, odd] of ODD)
  t.test(`a row that is sent with ${name} is not`, async (t) => {
    t.equal(await leftAtOther('rows', odd), 40)
    t.equal(await leftAtOther('gone', odd), 40, 'also if it cannot be told whether it is there')
    t.equal(await leftAtOther('deleted', odd), 39, 'if it cannot be told what was deleted, everything is read')
  })
