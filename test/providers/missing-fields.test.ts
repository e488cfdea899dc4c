// slow: every request of every provider
// A field that a service omits is unknown, never "no": it causes no missing row in a read and no changed state.
import t from 'tap'
import type { ServerResponse } from 'node:http'
import { DEFAULT_PROFILE, type Feature, type ReadEnd } from '@playhead/sdk'
import { formatKey, type Item, keyOf } from '@playhead/sdk/items'
import type { Bench } from '@playhead/sdk/testing/conformance'
import type { UpstreamReply } from '../upstreams/base/messages.ts'
import { createSeededRandom } from '../upstreams/base/random.ts'
import { A_WHILE_MS } from './asking.ts'
import { seed } from '../fast-check.ts'
import { subjectOf, WITH_SERVICE } from './subjects.ts'

t.setTimeout(900_000)

const ROWS = 6
/** Share of the fields. `PLAYHEAD_TEST_PART=1` omits each of them, another seed others. */
const SHARE = Number(process.env['PLAYHEAD_TEST_PART'] ?? 0.3)
/** Fields that determine rows or user state: always tested. */
const OF_STATE =
  /played|favorite|userdata|rating|rated|watch|progress|position|offset|view|status|total|count|ids?$|last|score|added|plays/i

/** Documented as "no" or "none": the engine reads again before it believes a removal. */
const MEANS_NO: Readonly<Record<string, readonly string[]>> = {
  plex: ['viewCount', 'userRating', 'viewOffset'],
  simkl: ['movies', 'shows', 'anime', 'user_rating'],
  mdblist: ['movies', 'shows', 'seasons', 'episodes'],
}

interface Read {
  readonly rows: readonly Item[]
  readonly end: ReadEnd
}

for (const id of WITH_SERVICE) {
  t.test(`${id}: a field that is missing is unknown`, async (t) => {
    const subject = await subjectOf(id)
    const random = createSeededRandom(seed)
    let tried = 0
    for (const feature of Object.keys(subject.description.features) as Feature[]) {
      if (subject.description.features[feature]?.read !== true) continue
      await using bench = await subject.open({ size: 40 })
      await bench.simulator.seed(0, feature, ROWS)
      const fields = new Set<string>()
      await afresh(bench)
      spoil(bench, (json) => {
        for (const path of pathsIn(json)) fields.add(path)
        return json
      })
      const whole = await bench.read(feature)
      bench.clearFaults()
      t.equal(whole.rows.length, ROWS, `${feature}: all is told while all is well`)
      const problems: string[] = []
      for (const field of [...fields].toSorted()) {
        if (MEANS_NO[id]?.includes(field.split('.').at(-1)!) === true) continue
        if (!OF_STATE.test(field) && random.next() >= SHARE) continue
        for (const each of [0, 1]) {
          tried += 1
          await afresh(bench)
          spoil(bench, (json) => without(json, field.split('.'), each))
          const read = await bench.tryRead(feature)
          bench.clearFaults()
          if (!('error' in read))
            problems.push(
              ...wrong(whole, read).map(
                (what) => `${field} ${each === 0 ? 'nowhere' : 'not in every other row'}: ${what}`,
              ),
            )
        }
      }
      t.strictSame(problems, [], feature)
    }
    t.comment(`${tried} reads`)
  })
}

/** Starts a session without cached state. */
async function afresh({ host, clock, simulator }: Bench): Promise<void> {
  if (simulator.isRefresh !== undefined) await simulator.signIn(host, DEFAULT_PROFILE, 0)
  const { timeout } = host.ctx.config as { readonly timeout?: number }
  if (timeout !== undefined) await host.changeConfig({ timeout: timeout === 15 ? 14 : 15 })
  clock.advance(A_WHILE_MS)
}

function spoil(bench: Bench, change: (json: unknown) => unknown): void {
  const send = (response: ServerResponse, reply: UpstreamReply) => {
    const { headers = {}, json, text = '', bytes } = reply
    const body = bytes ?? (json === undefined ? text : JSON.stringify(change(json)))
    response.writeHead(reply.status, {
      ...(json === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      ...headers,
    })
    response.end(body)
  }
  bench.fault({ kind: 'spoil', instead: false, send } as never)
}

function wrong(whole: Read, { rows, end }: Read): readonly string[] {
  if (!end.complete) return []
  const told = new Map(rows.map((row) => [nameOf(row), row]))
  const unclear =
    (end.unreadable?.length ?? 0) + rows.filter((row) => !whole.rows.some((one) => nameOf(one) === nameOf(row))).length
  const gone = new Set((end.gone ?? []).map(nameOf))
  const lost = whole.rows.filter((row) => !told.has(nameOf(row)) && !gone.has(nameOf(row)))
  return [
    ...(lost.length > unclear
      ? [`${lost.length} rows are missing, ${unclear} are unclear, and it is complete, it says`]
      : []),
    ...whole.rows.flatMap((row) => {
      const now = told.get(nameOf(row))
      return now === undefined
        ? []
        : (['rating', 'progress_ms', 'watched_at', 'rated_at', 'added_at', 'progress_at'] as const)
            .filter((name) => now[name] !== undefined && now[name] !== row[name])
            .map((name) => `${name} became ${String(now[name])}`)
    }),
  ]
}

function nameOf(item: Item): string {
  const key = keyOf(item)
  return key.ok ? formatKey(key.value) : JSON.stringify(item.native ?? item.title)
}

/** All field paths of a response; list entries count as one. */
function* pathsIn(json: unknown, at: readonly string[] = []): Generator<string> {
  if (Array.isArray(json)) for (const entry of json) yield* pathsIn(entry, [...at, '*'])
  else if (typeof json === 'object' && json !== null) {
    for (const [name, value] of Object.entries(json)) {
      if (name.includes('.')) continue
      yield [...at, name].join('.')
      yield* pathsIn(value, [...at, name])
    }
  }
}

/** @param each 0: in every entry; 1: only in every second entry of a list */
function without(json: unknown, [name, ...rest]: readonly string[], each: number): unknown {
  if (name === undefined || typeof json !== 'object' || json === null) return json
  if (name === '*')
    return Array.isArray(json)
      ? json.map((entry, index) => (each === 1 && index % 2 === 1 ? entry : without(entry, rest, 0)))
      : json
  if (Array.isArray(json) || !Object.hasOwn(json, name)) return json
  const { [name]: value, ...others } = json as Record<string, unknown>
  return rest.length === 0 ? others : { ...others, [name]: without(value, rest, each) }
}
