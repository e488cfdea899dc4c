// The three-way merge of a list in random lives: two browsers load a list, a phone changes it, and both browsers save.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { Item, ListEntry } from '@playhead/sdk'
import { type Merge, mergeList } from '../../../plugins/services/editor/playlist/merge.ts'
import { readRows } from '../../../plugins/services/editor/rows.ts'

interface Kept {
  readonly id: string
  readonly film: number
}

/** A list at a service: ordered entries with their own ids. */
class Server {
  entries: Kept[] = []
  private made = 0
  readonly duplicates: boolean
  readonly hasIds: boolean

  constructor(duplicates: boolean, hasIds: boolean) {
    this.duplicates = duplicates
    this.hasIds = hasIds
  }

  add(film: number, place = this.entries.length): boolean {
    if (!this.duplicates && this.entries.some((entry) => entry.film === film)) return false
    this.made += 1
    this.entries.splice(place, 0, { id: `e${this.made}`, film })
    return true
  }

  /** In the format of the capability `lists`: keys count copies. */
  read(): readonly ListEntry[] {
    const copies = new Map<number, number>()
    return this.entries.map(({ id, film }, place) => {
      const copy = (copies.get(film) ?? 0) + 1
      copies.set(film, copy)
      const item = { ...itemOf(film), position: place + 1 }
      return {
        key: `movie:tmdb:${film}${copy === 1 ? '' : `#${copy}`}`,
        item: this.hasIds ? { ...item, native: { list_item_id: id } } : item,
      }
    })
  }

  /** Applies a plan: removals, adds at the end, then the order. */
  apply({ adds, removals, order }: Merge): void {
    const keys = new Map(this.read().map((entry, place) => [this.entries[place]!.id, entry.key]))
    const gone = new Set(removals.map(({ key }) => key))
    this.entries = this.entries.filter(({ id }) => !gone.has(keys.get(id)!))
    for (const { key, item } of adds) {
      this.add(Number(item.ids.tmdb))
      keys.set(this.entries.at(-1)!.id, key)
    }
    if (order === null) return
    const left = new Map<string | undefined, Kept[]>()
    let before: string | undefined
    const named = new Set(order)
    for (const entry of this.entries) {
      const key = keys.get(entry.id)!
      if (named.has(key)) before = key
      else left.set(before, [...(left.get(before) ?? []), entry])
    }
    const byKey = new Map(this.entries.map((entry) => [keys.get(entry.id)!, entry]))
    this.entries = [
      ...(left.get(undefined) ?? []),
      ...order.flatMap((key) => [...(byKey.has(key) ? [byKey.get(key)!] : []), ...(left.get(key) ?? [])]),
    ]
  }
}

const itemOf = (film: number): Item => ({
  type: 'movie',
  title: `Film ${film}`,
  year: 2000,
  ids: { tmdb: String(film) },
})

type Row = Record<string, unknown>

/** A browser: the loaded rows, and the person's edits. */
interface Browser {
  readonly entries: readonly ListEntry[]
  rows: Row[]
  readonly fresh: Set<Row>
}

function load(server: Server): Browser {
  const entries = server.read()
  const rows = entries.map(({ key, item: { native, ...item } }, place) => ({
    ...item,
    key,
    _playlist_item_id: native?.list_item_id ?? null,
    _position: place + 1,
  }))
  return { entries, rows, fresh: new Set() }
}

type Edit =
  | { readonly op: 'add'; readonly film: number; readonly place: number }
  | { readonly op: 'remove'; readonly place: number }
  | { readonly op: 'move'; readonly place: number; readonly to: number }

const edits = fc.array(
  fc.oneof(
    fc.record({ op: fc.constant('add' as const), film: fc.integer({ min: 1, max: 12 }), place: fc.nat(20) }),
    fc.record({ op: fc.constant('remove' as const), place: fc.nat(20) }),
    fc.record({ op: fc.constant('move' as const), place: fc.nat(20), to: fc.nat(20) }),
  ),
  { maxLength: 5 },
)

function editRows(browser: Browser, list: readonly Edit[], duplicates: boolean): void {
  const { rows } = browser
  for (const edit of list) {
    if (edit.op === 'add') {
      // A page offers only titles that the list lacks.
      if (!duplicates && rows.some((row) => (row['ids'] as Item['ids']).tmdb === String(edit.film))) continue
      const row = { ...itemOf(edit.film) } as Row
      browser.fresh.add(row)
      rows.splice(Math.min(edit.place, rows.length), 0, row)
    } else if (rows.length > 0) {
      const [row] = rows.splice(edit.place % rows.length, 1)
      if (edit.op === 'remove') browser.fresh.delete(row!)
      if (edit.op === 'move') rows.splice(edit.to % (rows.length + 1), 0, row!)
    }
  }
}

function editServer(server: Server, list: readonly Edit[]): void {
  for (const edit of list) {
    if (edit.op === 'add') server.add(edit.film, Math.min(edit.place, server.entries.length))
    else if (server.entries.length > 0) {
      const [entry] = server.entries.splice(edit.place % server.entries.length, 1)
      if (edit.op === 'move') server.entries.splice(edit.to % (server.entries.length + 1), 0, entry!)
    }
  }
}

async function mergeOf(
  server: Server,
  browser: Browser,
  options: { readonly withIds?: boolean; readonly asObject?: boolean } = {},
): Promise<Merge> {
  const { withIds = true, asObject = false } = options
  const items = asObject
    ? Object.fromEntries(
        browser.rows.map((row, place) => [row['key'] ?? `new ${place}`, { ...row, _position: place + 1 }]),
      )
    : browser.rows
  const { rows, inOrder } = await readRows(items, 'playlist')
  return mergeList({
    current: server.read(),
    rows,
    inOrder,
    originals: {
      keys: browser.entries.map(({ key }) => key),
      ...(withIds ? { ids: browser.entries.map(({ item }) => item.native?.list_item_id ?? null) } : {}),
    },
    list: { ordered: true, duplicates: server.duplicates },
  })
}

const start = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 8 })
const films = (server: Server) => server.entries.map(({ film }) => film)
const idsOf = (browser: Browser) => browser.rows.flatMap((row) => (row['_playlist_item_id'] as string | null) ?? [])

t.test('property 22: a list sent back as loaded changes nothing', () =>
  fc.assert(
    fc.asyncProperty(
      start,
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      async (given, duplicates, hasIds, withIds, asObject) => {
        const server = new Server(duplicates, hasIds)
        for (const film of given) server.add(film)
        const merge = await mergeOf(server, load(server), { withIds, asObject })
        if (merge.adds.length + merge.removals.length > 0 || merge.order !== null)
          throw new Error(JSON.stringify(merge))
        const { added, removed, moved } = merge.elsewhere
        if (added.length + removed.length > 0 || moved) throw new Error('nothing happened elsewhere')
      },
    ),
    { numRuns: runsOf(300) },
  ),
)

t.test('without changes elsewhere the list becomes the submitted one, in its order', () =>
  fc.assert(
    fc.asyncProperty(
      start,
      edits,
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      async (given, list, duplicates, hasIds, asObject) => {
        const server = new Server(duplicates, hasIds)
        for (const film of given) server.add(film)
        const browser = load(server)
        editRows(browser, list, duplicates)
        const wanted = browser.rows.map((row) => Number((row['ids'] as Item['ids']).tmdb))
        server.apply(await mergeOf(server, browser, { asObject }))
        if (films(server).join() !== wanted.join()) throw new Error(`${films(server)}, not ${wanted}`)
      },
    ),
    { numRuns: runsOf(500) },
  ),
)

t.test('property 23: additions of a phone between load and save stay, and its removals are not restored', () =>
  fc.assert(
    fc.asyncProperty(
      start,
      edits,
      edits,
      fc.boolean(),
      fc.boolean(),
      async (given, mine, phone, duplicates, withIds) => {
        const server = new Server(duplicates, true)
        for (const film of given) server.add(film)
        const browser = load(server)
        const before = new Set(server.entries.map(({ id }) => id))
        editRows(browser, mine, duplicates)
        editServer(server, phone)
        const there = [...server.entries]
        server.apply(await mergeOf(server, browser, { withIds }))
        const now = new Set(server.entries.map(({ id }) => id))
        const loaded = new Set(browser.entries.map(({ item }) => Number(item.ids.tmdb)))
        // Without entry ids, a film that was removed and added again counts as the loaded film.
        const added = there.filter(({ id, film }) => !before.has(id) && (withIds || !loaded.has(film)))
        for (const { id, film } of added) if (!now.has(id)) throw new Error(`film ${film} of the phone is gone`)
        const fresh = new Set([...browser.fresh].map((row) => Number((row['ids'] as Item['ids']).tmdb)))
        const all = there.map(({ id }) => id)
        for (const { id, film } of server.entries)
          if (!all.includes(id) && !fresh.has(film)) throw new Error(`film ${film} came back`)
        // Removed entries are gone, unless they cannot be distinguished from the phone's additions.
        const kept = new Set(idsOf(browser))
        for (const { id, film } of there) {
          const isRemoved = before.has(id) && !kept.has(id)
          // A film that was removed and added again keeps its entry.
          if (withIds && isRemoved && !fresh.has(film) && now.has(id)) throw new Error(`film ${film} is still there`)
        }
        // Every new row was added once, or was already in the list.
        for (const film of fresh) if (!films(server).includes(film)) throw new Error(`film ${film} is missing`)
      },
    ),
    { numRuns: runsOf(1_000) },
  ),
)

t.test('property 23: two browsers save one after the other, and neither reverts the other', () =>
  fc.assert(
    fc.asyncProperty(start, edits, edits, fc.boolean(), async (given, one, two, hasIds) => {
      const server = new Server(false, hasIds)
      for (const film of given) server.add(film)
      const [first, second] = [load(server), load(server)]
      const loaded = new Set(films(server))
      editRows(first, one, false)
      editRows(second, two, false)
      for (const browser of [first, second]) server.apply(await mergeOf(server, browser))
      const filmsOf = (browser: Browser) => new Set(browser.rows.map((row) => Number((row['ids'] as Item['ids']).tmdb)))
      const [a, b] = [filmsOf(first), filmsOf(second)]
      const reAdded = new Set([...first.fresh, ...second.fresh].map((row) => Number((row['ids'] as Item['ids']).tmdb)))
      for (let film = 1; film <= 12; film += 1) {
        // A film that one removed and the other added again may be present or absent.
        if (loaded.has(film) && reAdded.has(film)) continue
        const wanted = loaded.has(film) ? a.has(film) && b.has(film) : a.has(film) || b.has(film)
        if (films(server).includes(film) !== wanted) throw new Error(`film ${film}: ${!wanted}`)
      }
      if (new Set(films(server)).size !== films(server).length) throw new Error('a film is there twice')
    }),
    { numRuns: runsOf(500) },
  ),
)

t.test('property 23: a client without entry ids never removes a copy that it may not have loaded', async (t) => {
  const server = new Server(true, true)
  server.add(1)
  server.add(2)
  const browser = load(server)
  browser.rows = browser.rows.filter((row) => row['key'] !== 'movie:tmdb:1')
  server.add(1, 0)
  const vague = await mergeOf(server, browser, { withIds: false })
  t.same(vague.removals, [])
  t.same(vague.ambiguous, ['movie:tmdb:1'])
  const exact = await mergeOf(server, browser)
  t.same(
    exact.removals.map(({ item }) => item.native?.list_item_id),
    ['e1'],
  )
})

t.test(
  'a row that lost its ids in the browser is still its entry, and one with another film replaces it',
  async (t) => {
    const server = new Server(false, true)
    for (const film of [1, 2, 3]) server.add(film)
    const browser = load(server)
    browser.rows[1] = { ...browser.rows[1], ids: {} }
    const same = await mergeOf(server, browser)
    t.same([same.adds, same.removals, same.order], [[], [], null])
    browser.rows[1] = { ...browser.rows[1], ...itemOf(9) }
    const other = await mergeOf(server, browser)
    t.same(
      other.adds.map(({ key }) => key),
      ['movie:tmdb:9'],
    )
    t.same(
      other.removals.map(({ key }) => key),
      ['movie:tmdb:2'],
    )
    server.apply(other)
    t.same(films(server), [1, 9, 3])
  },
)

t.test('a service that gives its entries new ids loses none of them', async (t) => {
  const server = new Server(false, true)
  for (const film of [1, 2, 3]) server.add(film)
  const browser = load(server)
  server.entries = server.entries.map((entry) => ({ ...entry, id: `new ${entry.id}` }))
  browser.rows = browser.rows.filter((row) => row['key'] !== 'movie:tmdb:2')
  const merge = await mergeOf(server, browser)
  t.same([merge.adds, merge.removals], [[], []])
  t.same(merge.elsewhere.removed.length, 3, 'and the person is asked to load it again')
})
