// The providers, each with its stand-in: requests, time and memory of reading an account of 10,000 items, of reading it again
// after ten changes, and of writing 500 items, compared with the minimum of the protocol. BENCH_PROVIDERS=TRACKA,TVA measures
// only these.
import { type Child, startChild } from '../child.ts'
import type { Figure } from '../index.ts'
import { changedFloor, type Floor, type Protocol, PROTOCOLS, readFloor, writeFloor } from './floors.ts'

const LATENCY_MS = 5
const HELD = 10_000
const CHANGED = 10
const WRITTEN = 500
/** Exhausted rates block for a while; each part is measured from a fresh start. */
const RESTED_MS = { ANIMEA: 60_000 } as const

export async function benchProviders(): Promise<readonly Figure[]> {
  const wanted = process.env['BENCH_PROVIDERS']?.split(',') ?? Object.keys(PROTOCOLS)
  const figures: Figure[] = []
  for (const id of wanted) {
    const protocol = PROTOCOLS[id]
    if (protocol === undefined)
      throw new RangeError(`There is no provider ${id}; there are ${Object.keys(PROTOCOLS).join(', ')}.`)
    // It takes minutes, most of them waiting for the services' rates.
    console.error(`  ${protocol.label} …`)
    figures.push(...(await benchProvider(id, protocol)))
  }
  return figures
}

async function benchProvider(id: string, protocol: Protocol): Promise<readonly Figure[]> {
  const { label, feature, write } = protocol
  await using stand = await startChild(new URL('./stand-process.ts', import.meta.url))
  await using provider = await startChild(new URL('./provider-process.ts', import.meta.url), ['--expose-gc'])
  const settings = await stand.ask('start', { provider: id, count: HELD + CHANGED + WRITTEN, latencyMs: LATENCY_MS })
  await stand.ask('fill', { feature, count: HELD })
  const features = await provider.ask('start', { provider: id, settings })
  const told = `${label}, ${feature}${protocol.note === undefined ? '' : ` (${protocol.note})`}`

  const first = await counted(stand, () => provider.ask('readInMemory', { feature }))
  if (first.answer.rows !== HELD || first.answer.complete !== true)
    throw new Error(`${label} gave ${first.answer.rows} rows: ${JSON.stringify(first.answer)}`)
  const figures = [
    ...beside(`${told}: read of 10,000`, first, readFloor(protocol, HELD, LATENCY_MS)),
    {
      what: `${told}: read of 10,000: memory at its highest, beyond that before`,
      value: first.answer.grownBytes / 1e6,
      unit: 'MB',
      aim: '< 60',
    },
  ]

  await stand.ask('fill', { feature, count: CHANGED })
  await rest(id)
  // A run starts with a probe of the account.
  await provider.ask('probe')
  const second = await counted(stand, () =>
    provider.ask('read', {
      feature,
      ...(first.answer.checkpoint === undefined ? {} : { since: first.answer.checkpoint }),
    }),
  )
  figures.push(
    ...beside(
      `${told}: read after ${CHANGED} changes (${second.answer.semantics})`,
      second,
      changedFloor(protocol, LATENCY_MS),
    ),
  )
  if (write === undefined) return figures

  await rest(id)
  const items = (await stand.ask('others', WRITTEN)).map((item: object, index: number) => ({
    ...item,
    ...(feature === 'history'
      ? { watched: true, watched_at: new Date(Date.UTC(2026, 0, 1) + index * 3_600_000).toISOString() }
      : {}),
  }))
  const before = await stand.ask('holds', feature)
  const third = await counted(stand, () =>
    provider.ask('write', { feature, items, most: features[feature].maxBatch ?? 100 }),
  )
  const arrived = (await stand.ask('holds', feature)) - before
  if (arrived !== WRITTEN)
    console.error(`  ${label} took ${arrived} of ${WRITTEN}: ${JSON.stringify(third.answer.outcomes)}`)
  return [...figures, ...beside(`${told}: write of ${WRITTEN}`, third, writeFloor(write, WRITTEN, LATENCY_MS))]
}

interface Counted {
  readonly answer: any
  readonly requests: number
}

async function counted(stand: Child, work: () => Promise<any>): Promise<Counted> {
  const before = await stand.ask('count')
  const answer = await work()
  return { answer, requests: (await stand.ask('count')) - before }
}

function beside(what: string, { answer, requests }: Counted, floor: Floor): Figure[] {
  return [
    {
      what: `${what}: requests (least: ${floor.requests})`,
      value: requests,
      unit: 'count',
      aim: `<= ${Math.ceil(floor.requests * 1.5)}`,
    },
    {
      what: `${what}: wall (least: ${Math.round(floor.ms)} ms)`,
      value: answer.ms,
      unit: 'ms',
      aim: `<= ${Math.ceil(floor.ms * 1.5)}`,
    },
  ]
}

async function rest(id: string): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, RESTED_MS[id as keyof typeof RESTED_MS] ?? 1_000))
}
