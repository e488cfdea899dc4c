// slow: every request of every provider
// Malformed responses of a service: a response that cannot be understood is never taken for an answer.
import t from 'tap'
import { DEFAULT_PROFILE } from '@playhead/sdk'
import { startServer, type TestServer } from '@playhead/sdk/testing'
import type { Bench, SeenRequest } from '@playhead/sdk/testing/conformance'
import { createSeededRandom, type Fault, type SeededRandom } from '../upstreams/base/index.ts'
import { A_WHILE_MS, type Ask, type Asking, askingsOf } from './asking.ts'
import { type Spoil, spoilsOf, TRICKLE } from './spoils.ts'
import { seed } from '../fast-check.ts'
import { PROVIDERS, subjectOf, WITH_SERVICE } from './subjects.ts'

t.setTimeout(900_000)

/** Maximum number of places per question in which a single response is spoilt, besides all of them at once. */
const MOST_PLACES = 3
/** Share of the spoilt responses at these places. `PLAYHEAD_TEST_PART=1` tries them all, another seed tries others. */
const SHARE = Number(process.env['PLAYHEAD_TEST_PART'] ?? 0.05)
/** Number of items at the service: every write question uses two unused ones, and each is read many times. */
const SIZE = 100 + 1_000 * SHARE
/** Documented as the response for an empty account, so a spoilt response cannot be distinguished. */
const MEANS_NOTHING: Readonly<Record<string, readonly string[]>> = { simkl: ['null', 'an empty object'] }

t.test('there are twelve providers, and all but one have a service', async (t) => {
  t.equal(PROVIDERS.length, 12)
  t.equal(WITH_SERVICE.length, 11)
})

for (const id of WITH_SERVICE) {
  t.test(`${id}: a response of any shape is understood or refused`, async (t) => {
    const subject = await subjectOf(id)
    await using elsewhere = await startServer(() => ({ json: {} }))
    const random = createSeededRandom(seed)
    let asked = 0
    for (const group of askingsOf(subject)) {
      await using bench = await subject.open({ size: SIZE })
      for (const asking of group) {
        const leftOut = asking.reads ? (MEANS_NOTHING[id] ?? []) : []
        const { problems, count } = await spoilEach(bench, asking, { elsewhere, random, leftOut })
        asked += count
        t.strictSame(problems, [], asking.name)
      }
    }
    t.equal(elsewhere.requests.length, 0, 'no redirect to another host is followed')
    t.comment(`${asked} questions`)
    t.ok(asked > 40 * SHARE)
  })
}

for (const id of WITH_SERVICE) {
  t.test(`${id}: an endless response is aborted`, async (t) => {
    const subject = await subjectOf(id)
    for (const asking of askingsOf(subject)
      .slice(1)
      .map(([first]) => first as Asking)) {
      await using bench = await subject.open()
      const ask = await asking.prepare(bench)
      t.strictSame(
        await once(bench, (circumstances) => hurried(() => ask(circumstances)), TRICKLE, ALL),
        [],
        asking.name,
      )
    }
    await using bench = await subject.open()
    const { status, reasonCode } = await trickling(bench, () => hurried(() => bench.provider.probe(DEFAULT_PROFILE)))
    t.match({ status, reasonCode }, { status: 'down', reasonCode: 'timeout' })
  })
}

/** Runs the work while responses never end, and returns its result. */
async function trickling<Result>(bench: Bench, work: () => Promise<Result>): Promise<Result> {
  await begin(bench)
  bench.fault({ kind: 'spoil', send: TRICKLE.send } as never)
  try {
    return await work()
  } finally {
    bench.clearFaults()
  }
}

/**
 * Runs virtual time a hundred times faster, so that a time limit need not be waited for. Only used where no answer comes:
 * on a busy machine a real answer would exceed the limit.
 */
async function hurried<Result>(work: () => Promise<Result>): Promise<Result> {
  const { setTimeout: real } = globalThis
  const start = real as (run: () => void, ms: number, ...rest: readonly unknown[]) => NodeJS.Timeout
  globalThis.setTimeout = ((run: () => void, ms = 0, ...rest: unknown[]) =>
    start(run, ms >= 1_000 ? ms / 100 : ms, ...rest)) as typeof setTimeout
  try {
    return await work()
  } finally {
    globalThis.setTimeout = real
  }
}

interface Spoiling {
  readonly elsewhere: TestServer
  readonly random: SeededRandom
  readonly leftOut: readonly string[]
}

async function spoilEach(bench: Bench, asking: Asking, { elsewhere, random, leftOut }: Spoiling) {
  const ask = await asking.prepare(bench)
  const names = await namesOf(bench, ask)
  const problems = new Set<string>()
  let count = 0
  if (names.length === 0) return { problems: [], count }
  const places = placesOf(names, random)
  for (const place of places) {
    for (const spoil of spoilsOf(random.integer(0, 2 ** 30), elsewhere.url)) {
      if (random.next() >= (spoil.worth ?? 1) * SHARE || leftOut.includes(spoil.name)) continue
      const answered = await once(bench, ask, spoil, place)
      count += 1
      for (const problem of answered)
        problems.add(`${spoil.name} for ${place === ALL ? 'everything' : place.name}: ${problem}`)
    }
  }
  return { problems: [...problems], count }
}

interface Place {
  readonly name: string
  readonly from: number
}
const ALL: Place = { name: '', from: 0 }

async function once(bench: Bench, ask: Ask, spoil: Spoil, place: Place): Promise<readonly string[]> {
  await begin(bench)
  const failed = bench.host.failures.length
  let seen = 0
  const fault: Fault = {
    kind: 'spoil',
    instead: spoil.instead,
    send: spoil.send,
    match: (request) => place === ALL || (nameOf(request) === place.name && seen++ >= place.from),
  }
  bench.fault(fault as never)
  try {
    const wrong = await ask({
      nothingWorked: place === ALL && spoil.mayPass !== true,
      mayPass: spoil.mayPass === true,
      confirms: spoil.confirms === true,
      mayBeSignedOut: !spoil.instead && bench.simulator.isRefresh !== undefined,
    })
    return [
      ...wrong,
      ...bench.host.failures
        .slice(failed)
        .map(({ what, error }) => `${what}: ${error instanceof Error ? error.stack : String(error)}`),
    ]
  } catch (error) {
    return [`it threw ${error instanceof Error ? error.stack : String(error)}`]
  } finally {
    bench.clearFaults()
  }
}

/** Starts a new session without cached state: changed settings reopen it. */
async function begin({ host, clock, simulator }: Bench): Promise<void> {
  if (simulator.isRefresh !== undefined) await simulator.signIn(host, DEFAULT_PROFILE, 0)
  const { timeout, requests_per_minute: rate } = host.ctx.config as {
    readonly timeout?: number
    readonly requests_per_minute?: number
  }
  await host.changeConfig(
    timeout === undefined
      ? { requests_per_minute: rate === 1_000 ? 999 : 1_000 }
      : { timeout: timeout === 30 ? 29 : 30 },
  )
  clock.advance(A_WHILE_MS)
}

/** The requests to the service while it works, in order. */
async function namesOf(bench: Bench, ask: Ask): Promise<readonly string[]> {
  await begin(bench)
  const before = bench.requests().length
  const wrong = await ask({ nothingWorked: false, mayPass: true, confirms: true, mayBeSignedOut: false })
  if (wrong.length > 0) throw new Error(`while all is well: ${wrong.join()}`)
  return bench.requests().slice(before).map(nameOf)
}

/** All requests at once, some kinds of request from their first one on, and one of a kind that is repeated. */
function placesOf(names: readonly string[], random: SeededRandom): readonly Place[] {
  const kinds = [...new Set(names)]
  const chosen = kinds
    .sort(() => random.next() - 0.5)
    .slice(0, MOST_PLACES)
    .map((name) => ({ name, from: 0 }))
  const again = kinds.find((name) => names.filter((one) => one === name).length > 1)
  return [...(kinds.length === 1 ? [] : [ALL]), ...chosen, ...(again === undefined ? [] : [{ name: again, from: 1 }])]
}

function nameOf({ method, path }: SeenRequest): string {
  return `${method} ${path.replaceAll(/[0-9a-f-]{24,}|\d+/gi, ':id')}`
}
