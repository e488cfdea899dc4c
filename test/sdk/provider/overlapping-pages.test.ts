// Lists by offsets: a change between two pages is seen, with and without a total.
import t from 'tap'
import { overlappingPages } from '@playhead/sdk/provider'

/** A list whose rows change before the page with this number. */
async function read(
  count: number,
  { size = 4, at = -1, change = () => {}, total = false, list = numbers(count) }: Partial<Changing> = {},
) {
  let page = 0
  const result = await overlappingPages({
    async fetchPage(offset) {
      if (page++ === at) change(list)
      const more = total ? { total: list.length } : {}
      return { rows: list.slice(offset, offset + size), hasMore: offset + size < list.length, ...more }
    },
    idOf: (id) => id,
  })
  return { ...result, pages: page }
}

interface Changing {
  readonly size: number
  readonly at: number
  readonly change: (list: number[]) => void
  readonly total: boolean
  readonly list: number[]
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

t.test('all rows come once, whatever the sizes', async (t) => {
  for (const count of [0, 1, 2, 3, 4, 5, 7, 8, 20])
    for (const size of [2, 3, 4, 50])
      for (const total of [true, false]) {
        const { rows, flaw } = await read(count, { size, total })
        t.strictSame([rows, flaw], [numbers(count), undefined], `${count} by ${size}`)
      }
})

t.test('a row that is added or removed between two pages is seen', async (t) => {
  const changes: readonly ((list: number[]) => void)[] = [
    (list) => void list.unshift(-1),
    (list) => void list.splice(1, 1),
    (list) => void list.splice(0, 1, 99),
    (list) => void list.splice(0, 2),
  ]
  for (const total of [true, false])
    for (const [index, change] of changes.entries()) {
      const { flaw } = await read(9, { at: 1, change, total })
      // A row in place of another moves none: it is in the next read.
      t.equal(flaw, index === 2 ? undefined : 'changed_while_reading', `${index}`)
    }
  t.equal((await read(9, { at: 1, total: true, change: (list) => void list.push(9) })).flaw, 'changed_while_reading')
})

t.test('a list that never ends, or is shorter than its total, is not complete', async (t) => {
  const same = { rows: [1, 2], hasMore: true }
  t.match(await overlappingPages({ fetchPage: async () => same, idOf: (id) => id }), { flaw: 'changed_while_reading' })
  const one = async (offset: number) => ({ rows: offset === 0 ? [1] : [1], hasMore: true })
  t.match(await overlappingPages({ fetchPage: one, idOf: (id) => id }), { rows: [1], flaw: 'repeated_page' })
  const short = async () => ({ rows: [1, 2], hasMore: false, total: 3 })
  t.match(await overlappingPages({ fetchPage: short, idOf: (id) => id }), { rows: [1, 2], flaw: 'total_mismatch' })
})

t.test('a row that a page has twice hides another one', async (t) => {
  const fetchPage = async (offset: number) => ({ rows: offset === 0 ? [1, 2, 2] : [2, 3], hasMore: false, total: 3 })
  t.match(await overlappingPages({ fetchPage, idOf: (id) => id }), { flaw: 'changed_while_reading' })
})
