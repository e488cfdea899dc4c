// Checks of failing reads: a read with missing rows is never complete.
import type { Feature } from '../../../provider/features.ts'
import type { Bench, Check, SeenRequest, ServiceFault } from '../contract.ts'
import {
  all,
  each,
  endText,
  failed,
  featuresOf,
  hasCode,
  must,
  nameOf,
  needsService,
  seeded,
  textOf,
} from './support.ts'

const group = 'damage'
const ROWS = 30
const MAX_REQUESTS = 3

/** Breaks one request of a read permanently, for each request in turn, and checks the result. */
function breakEach(id: string, title: string, fault: Omit<ServiceFault, 'match' | 'times'>): Check {
  return {
    id: `damage.${id}`,
    group,
    title,
    points: 3,
    applies: needsService,
    run: (subject) =>
      each(
        subject,
        featuresOf(subject),
        async (bench, feature) => {
          const wanted = await seeded(bench, feature, ROWS)
          for (const asked of await requestsOf(bench, feature)) {
            await bench.host.reload()
            bench.fault({ ...fault, match: (request) => nameOfRequest(request) === asked })
            const read = await bench.tryRead(feature)
            bench.clearFaults()
            if (failed(read)) continue
            must(
              !read.end.complete || read.rows.length === wanted,
              `with ${asked.split('?')[0]} broken it gave ${read.rows.length} of ${wanted} rows and called them complete`,
            )
          }
          await bench.host.reload()
          bench.clock.advance(3_600_000)
          const { rows, end } = await bench.read(feature)
          must(
            end.complete && rows.length === wanted,
            `when all was well again it gave ${rows.length} of ${wanted} rows, ${endText(end)}`,
          )
        },
        { size: ROWS + 8 },
      ),
  }
}

async function requestsOf({ host, requests, read }: Bench, feature: Feature): Promise<readonly string[]> {
  await host.reload()
  const before = requests().length
  await read(feature)
  return [...new Set(requests().slice(before).map(nameOfRequest))].slice(-MAX_REQUESTS)
}

function nameOfRequest({ method, path, query }: SeenRequest): string {
  return `${method} ${path}?${[...query]
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('&')}`
}

export const damage: readonly Check[] = [
  breakEach('truncated', 'an answer that breaks off never makes a short list complete', { kind: 'truncate' }),
  breakEach('empty-answer', 'an empty body is no empty list', { kind: 'empty' }),
  breakEach('page', 'the page of a proxy is no empty list', { kind: 'html', status: 200 }),
  breakEach('server-error', 'an answer of 500 on any page never makes a short list complete', {
    kind: 'status',
    status: 500,
  }),
  breakEach('not-found', 'an answer of 404 on any page never makes a short list complete', {
    kind: 'status',
    status: 404,
  }),
  {
    id: 'damage.passing',
    group,
    title: 'a failure that passes is tried again',
    applies: needsService,
    run: (subject) =>
      each(subject, featuresOf(subject), async ({ simulator, read, fault }, feature) => {
        const wanted = await seeded({ simulator }, feature, 5)
        fault({ kind: 'status', status: 503, times: 1 })
        const { rows, end } = await read(feature)
        must(rows.length === wanted && end.complete, `${rows.length} of ${wanted} rows came, ${endText(end)}`)
      }),
  },
  {
    id: 'damage.cut',
    group,
    title: 'a connection that is lost once costs nothing',
    applies: needsService,
    run: (subject) =>
      each(subject, featuresOf(subject), async ({ simulator, tryRead, fault }, feature) => {
        const wanted = await seeded({ simulator }, feature, 5)
        fault({ kind: 'reset', times: 1 })
        const read = await tryRead(feature)
        if (failed(read))
          must(hasCode(read.error, 'PLH_UPSTREAM', 'PLH_UPSTREAM_TIMEOUT', 'PLH_UPSTREAM_INVALID'), textOf(read.error))
        else
          must(
            read.rows.length === wanted || !read.end.complete,
            `${read.rows.length} of ${wanted} rows came, ${endText(read.end)}`,
          )
      }),
  },
  {
    id: 'damage.added-while-reading',
    group,
    title: 'a row that is added between two pages hides no other',
    points: 3,
    applies: needsService,
    run: (subject) =>
      each(
        subject,
        featuresOf(subject),
        async (bench, feature) => {
          await bench.simulator.seed(0, feature, 60)
          await changeWhileReading(bench, feature, () => bench.simulator.seed(0, feature, 1))
        },
        { size: 80 },
      ),
  },
  {
    id: 'damage.removed-while-reading',
    group,
    title: 'a row that is taken off between two pages hides no other',
    points: 3,
    applies: all(needsService, ({ can }) => can.takeOff || 'its adapter cannot take items off'),
    run: (subject) =>
      each(
        subject,
        featuresOf(subject),
        async (bench, feature) => {
          await bench.simulator.seed(0, feature, 60)
          await changeWhileReading(bench, feature, () => bench.simulator.takeOff?.(0, feature))
        },
        { size: 80 },
      ),
  },
]

async function changeWhileReading(
  { provider, read }: Bench,
  feature: Feature,
  change: () => void | Promise<void> | undefined,
): Promise<void> {
  const known = new Set((await read(feature)).rows.map(nameOf))
  const came = new Set<string>()
  let isChanged = false
  let isComplete = false
  for await (const part of provider.read('default', { feature })) {
    if (part.type === 'end') isComplete = part.end.complete
    else for (const row of part.rows) came.add(nameOf(row))
    if (!isChanged) await change()
    isChanged = true
  }
  if (!isComplete) return
  // As at the start of a run; the account has the same rows as before.
  await provider.probe('default')
  const missing = (await read(feature)).rows.map(nameOf).filter((name) => known.has(name) && !came.has(name))
  must(missing.length === 0, `${missing.length} rows are missing, and the read says that it is complete`)
}
