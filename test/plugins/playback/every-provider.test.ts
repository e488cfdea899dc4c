// slow: the whole service, or very many cases
// The same tests for every provider with positions, each at its stand-in with two people.
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { WITH_SERVICE } from '../../providers/subjects.ts'
import { startWorld } from '../../providers/world.ts'

t.setTimeout(900_000)
const PATH = '/api/playback_progress'
const world = await startWorld(WITH_SERVICE)
atEndOfFile(() => world[Symbol.asyncDispose]())
const kept = world.accounts.filter(({ about }) => about.features.progress?.read === true)

interface Row {
  readonly provider: string
  readonly instance_id: string
  readonly remote_id: string
  readonly title: string
  readonly progress_percent: number | null
  readonly can_update_progress: boolean
  readonly editable_progress_max_exclusive: number
  readonly capability_messages: readonly string[]
}

async function rowsOf(provider: string, instance: string): Promise<readonly Row[]> {
  const { status, body } = await world.get(
    `${PATH}/items?force_refresh=true&page_size=250&sort=title&provider=${provider}&instance_id=${instance}`,
  )
  if (status !== 200 || body.errors.length > 0) throw new Error(`${status} ${JSON.stringify(body.errors ?? body)}`)
  return body.items
}
const act = (path: string, { provider, instance_id, remote_id }: Row, more = {}) =>
  world.post(`${PATH}/actions/${path}`, { provider, instance_id, remote_id, ...more })

t.ok(kept.length >= 8)
for (const { plugin, about, simulator, instances } of kept) {
  t.test(`${plugin}: positions are set, removed and marked as watched`, async (t) => {
    const [first, second] = instances
    await simulator.seed(0, 'progress', 4)
    await simulator.seed(1, 'progress', 1)
    const rows = await rowsOf(about.id, first)
    const others = await rowsOf(about.id, second)
    t.same([rows.length, others.length], [4, 1])
    const [moved, removed, watched, left] = rows as readonly [Row, Row, Row, Row]
    t.equal(moved.can_update_progress, true, moved.capability_messages.join())

    const percent = moved.progress_percent !== null && Math.abs(moved.progress_percent - 40) < 5 ? 55 : 40
    const set = await act('update_progress', moved, { progress_percent: percent })
    t.match(set, { status: 200, body: { ok: true, status: 'applied' } })
    const gone = await act('remove', removed)
    t.match(gone, { status: 200, body: { ok: true, status: 'applied' } })
    const plays = await simulator.count?.(0, 'history')
    const marked = await act('mark_watched', watched)
    t.match(marked, { status: 200, body: { ok: true, status: 'applied' } })
    t.match(await act('mark_watched', watched), { body: { status: 'skipped', reason: 'already_watched' } })
    if (plays !== undefined) t.equal(await simulator.count?.(0, 'history'), plays + 1, 'one play')

    const after = await rowsOf(about.id, first)
    t.same(after.map(({ title }) => title).toSorted(), [moved.title, left.title].toSorted())
    const now = after.find(({ title }) => title === moved.title)
    t.ok(Math.abs((now?.progress_percent ?? 0) - percent) <= 1, `${now?.progress_percent} for ${percent}`)
    const ofOther = (some: readonly Row[]) => some.map((row) => [row.remote_id, row.progress_percent])
    t.same(ofOther(await rowsOf(about.id, second)), ofOther(others), "another person's positions are as they were")

    const over = await act('update_progress', left, { progress_percent: left.editable_progress_max_exclusive })
    t.match(over, { status: 400, body: { error_code: 'invalid_progress' } })
  })
}

t.test('equal titles of several people are never one row', async (t) => {
  const { body } = await world.get(`${PATH}/items?page_size=250`)
  t.ok(body.total >= kept.length * 3)
  t.ok(body.items.every(({ is_combined: combined }: { is_combined: boolean }) => !combined))
})
