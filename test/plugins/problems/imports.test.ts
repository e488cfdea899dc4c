// slow: the whole service
// Titles of an import without a match: listed until a person matches, ignores or writes them, or deletes the import.
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { startService } from '../../harness.ts'

const service = await startService({ shipped: true, watch: false })
atEndOfFile(() => service[Symbol.asyncDispose]())

const CAUSE = 'imports:no_match'
const FILE = [
  'Title,Date',
  '"Film 1","1/2/24"',
  '"Film 2: The Return","1/13/24"',
  '"Film 2: The Return","1/14/24"',
].join('\n')

interface Board {
  readonly total: number
  readonly ignored: number
  readonly need_you: number
  readonly causes: readonly { readonly cause: string; readonly rows: number }[]
  readonly items: readonly {
    readonly id: string
    readonly title: string
    readonly text: string
    readonly actions: readonly { readonly kind: string; readonly path: string }[]
  }[]
}
const board = async (query = ''): Promise<Board> => {
  const { status, body } = await service.json(`/api/problems?cause=${CAUSE}${query}`)
  t.equal(status, 200)
  return body
}
const post = (path: string, json: object) => service.json(path, { json })
async function upload(content = FILE): Promise<string> {
  const body = new FormData()
  body.append('file', new Blob([content]), 'NetflixViewingHistory.csv')
  return (await service.json('/api/import/preview', { method: 'POST', body })).body.import_id
}
const titleOf = (id: string) => Number(id.split('/')[1])

t.test('each title is a problem, and its action leads to the place of its match', async (t) => {
  const id = await upload()
  const { items, need_you: needYou, total } = await board()
  t.same([total, needYou], [2, 0])
  const [first] = items
  t.match(first, { title: 'Film 2: The Return', text: '2 rows of NetflixViewingHistory.csv have no match.' })
  const { kind, path } = first!.actions[0]!
  t.equal(kind, 'match')
  const { pathname, searchParams } = new URL(path, 'http://page')
  t.equal(pathname, `/import/${id}`)
  const found = await service.json(`/api/import/${id}/titles?q=${encodeURIComponent(searchParams.get('text')!)}`)
  t.same(
    found.body.titles.map(({ title }: { readonly title: number }) => title),
    [titleOf(first!.id)],
    'the search of the page finds that title alone',
  )
  t.equal(
    (await service.json('/api/problems?feature=history')).body.causes.length,
    0,
    'an import belongs to no account',
  )
  await service.json(`/api/import/${id}`, { method: 'DELETE' })
  t.equal((await board()).total, 0, 'a deleted import has no problems')
})

t.test('an ignored title is left out of the import, until that is undone', async (t) => {
  const id = await upload()
  const { items } = await board()
  const { body: one } = await post('/api/problems/ignore', { ids: [items[0]!.id] })
  t.equal(one.count, 1)
  t.match((await service.json(`/api/import/${id}`)).body, { unmatched: 2, ambiguous: 1, titles: { total: 2, open: 1 } })
  const { body: rest } = await post('/api/problems/ignore', { cause: CAUSE })
  t.equal(rest.count, 1)
  t.match(await board(), { total: 0, ignored: 2 })
  t.same((await board('&ignored=true')).items.map(({ id }) => id).sort(), items.map(({ id }) => id).sort())
  t.equal((await post('/api/problems/restore', { undo: one.undo })).body.count, 1)
  t.match(await board(), { total: 1, ignored: 1 }, 'exactly that is undone')
  t.equal((await post('/api/problems/restore', { undo: one.undo })).body.count, 0, 'once')
  t.equal((await post('/api/problems/restore', { ids: items.map(({ id }) => id) })).body.count, 1)
  t.match((await service.json(`/api/import/${id}`)).body, { unmatched: 0, ambiguous: 3 }, 'as it was read')
  await service.json(`/api/import/${id}`, { method: 'DELETE' })
})

t.test('a match, and a written import, end the problem', async (t) => {
  const id = await upload()
  const { items } = await board()
  const choice = { type: 'movie', ids: { tmdb: '949' } }
  await post(`/api/import/${id}/choices`, { choices: [{ title: titleOf(items[0]!.id), choice }] })
  t.same(
    (await board()).items.map(({ id }) => id),
    [items[1]!.id],
  )
  const { body: written } = await post('/api/import/run', { import_id: id, provider: 'SVC' })
  t.match(written, { state: 'done', plan: { history: { done: 2 } } })
  t.equal((await board()).total, 0, 'what the person left out of a written import is no problem')
})

t.test('ids and tokens of other shapes are refused, and those of a deleted import do nothing', async (t) => {
  for (const id of ['imports:x', 'imports:a/b', 'imports:/1', 'imports:a/1/2'])
    t.match(await post('/api/problems/ignore', { ids: [id] }), { status: 400, body: { error: 'invalid_problem' } }, id)
  for (const undo of ['imports:{', 'imports:[[1,[2]]]', 'imports:[["a",["b"]]]'])
    t.match(await post('/api/problems/restore', { undo: [undo] }), { status: 400 }, undo)
  t.match(await post('/api/problems/ignore', { ids: ['imports:gone/1'] }), { status: 200, body: { count: 0 } })
  t.match(await post('/api/problems/retry', { cause: CAUSE }), { status: 400, body: { error: 'invalid_problem' } })
})

t.test('2,000 titles are paged, and ignored at once', async (t) => {
  const rows = Array.from({ length: 2_000 }, (_, index) => `"Film ${index + 1}","1/2/24"`)
  const id = await upload(['Title,Date', ...rows].join('\n'))
  t.equal((await board()).total, 2_000)
  t.equal((await board('&offset=1990&limit=50')).items.length, 10)
  const { body } = await post('/api/problems/ignore', { cause: CAUSE })
  t.equal(body.count, 2_000)
  t.equal((await post('/api/problems/restore', { undo: body.undo })).body.count, 2_000)
  await service.json(`/api/import/${id}`, { method: 'DELETE' })
})
