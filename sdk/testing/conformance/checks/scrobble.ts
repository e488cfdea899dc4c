// Checks of recorded plays: each completed playback once, and no uncertain play.
import { writeOutcomes } from '../../../provider/writes/outcomes.ts'
import type { Item } from '../../../items/item.ts'
import { kindOf } from '../../../items/kind.ts'
import { DEFAULT_PROFILE } from '../../../provider/profiles/profile-ids.ts'
import type { ScrobbleRequest, ScrobbleResult } from '../../../provider/playback/playback.ts'
import type { Bench, Check, Subject } from '../contract.ts'
import { all, must, mustNotAnswer, mustSaySignedOut, needsService } from './support.ts'

const group = 'scrobble'
const DONE: readonly string[] = writeOutcomes('done')
const AROUND_MS = 3_600_000
const HOUR_S = 3_600
const TRIES = 8

const records = ({ description }: Subject): true | string =>
  description.playback?.scrobble !== undefined || 'it records no plays'
const knowsUnknown = ({ can }: Subject): true | string => can.unknown || 'its stand-in knows everything'
const onService = all(records, needsService)

type Report = Partial<Omit<ScrobbleRequest, 'item'>>

const PLAYED: Report = { action: 'stop', percent: 95, completed: true }

function report({ provider, clock }: Bench, item: Item, more: Report = {}): Promise<ScrobbleResult> {
  must(provider.scrobble !== undefined, 'it says that it records plays, and has nothing that does')
  const request = { action: 'start', percent: 10, completed: false, atMs: clock.now(), ...more, item } as const
  return provider.scrobble(DEFAULT_PROFILE, request)
}

function playsOf({ provider, clock }: Bench, item: Item, instance = DEFAULT_PROFILE): Promise<readonly Item[]> {
  must(provider.plays !== undefined, 'nothing tells what it recorded')
  const atMs = clock.now()
  return provider.plays(instance, { item, fromMs: atMs - AROUND_MS, toMs: atMs + AROUND_MS })
}

/** Unwatched items, in the form of a media server. */
async function unseen({ simulator, provider }: Bench, count: number): Promise<readonly Item[]> {
  const { playback } = await provider.describe()
  const found: Item[] = []
  // The history may have kinds that cannot be played.
  for (let tries = 0; found.length < count && tries < count * TRIES; tries += 1)
    for (const { watched: _watched, watched_at: _at, ...item } of await simulator.fresh('history', 1))
      if (playback?.scrobble?.kinds.includes(kindOf(item)) !== false) found.push(item)
  return found
}

async function mustCount({ simulator }: Bench, wanted: number, about: string): Promise<void> {
  const count = await simulator.count(0, 'history')
  must(count === wanted, `${about}: the service has ${count} plays, not ${wanted}`)
}

function wordsOf({ outcome, reason }: ScrobbleResult): string {
  return reason === undefined ? outcome : `${outcome} (${reason})`
}

function mustBe(result: ScrobbleResult, outcomes: readonly string[], about: string): void {
  must(outcomes.includes(result.outcome), `${about}: the outcome is ${wordsOf(result)}`)
}

export const scrobble: readonly Check[] = [
  {
    id: 'scrobble.play',
    group,
    title: 'a completed playback is recorded once, at any percentage, and is found afterwards',
    points: 3,
    applies: records,
    async run(subject) {
      await using bench = await subject.open()
      let wanted = 0
      for (const percent of [95, 80, 55, 3]) {
        const [item] = (await unseen(bench, 1)) as [Item]
        must((await playsOf(bench, item)).length === 0, 'it is found before it was watched')
        await report(bench, item)
        mustBe(await report(bench, item, { ...PLAYED, percent }), ['applied'], `completed at ${percent} %`)
        await mustCount(bench, ++wanted, `completed at ${percent} %`)
        must((await playsOf(bench, item)).length === 1, `completed at ${percent} %: it is not found`)
      }
      return undefined
    },
  },
  {
    id: 'scrobble.no-play',
    group,
    title: 'what starts, pauses or is left before its end is not recorded as watched',
    points: 3,
    applies: records,
    async run(subject) {
      await using bench = await subject.open()
      const [item] = (await unseen(bench, 1)) as [Item]
      for (const action of ['start', 'pause', 'stop'] as const) {
        for (const percent of [0, 40, 85, 99]) {
          const about = `${action} at ${percent} %`
          mustBe(await report(bench, item, { action, percent }), ['applied'], about)
          await mustCount(bench, 0, about)
        }
      }
      must((await playsOf(bench, item)).length === 0, 'it is told as watched')
      return undefined
    },
  },
  {
    id: 'scrobble.already',
    group,
    title: 'a play that is reported as existing exists once',
    points: 2,
    applies: records,
    async run(subject) {
      await using bench = await subject.open()
      const [item] = (await unseen(bench, 1)) as [Item]
      mustBe(await report(bench, item, PLAYED), ['applied'], 'at first')
      const again = await report(bench, item, PLAYED)
      mustBe(again, DONE, 'again')
      if (again.outcome === 'already') await mustCount(bench, 1, 'already there')
      return undefined
    },
  },
  {
    id: 'scrobble.refused',
    group,
    title: 'without ids nothing is sent, and no title stands for them',
    points: 3,
    applies: records,
    async run(subject) {
      await using bench = await subject.open()
      const [item] = (await unseen(bench, 1)) as [Item]
      const before = bench.requests().length
      const named = { title: item.title ?? 'Heat', year: 1995 }
      for (const other of [
        { type: 'movie', ...named, ids: {} },
        { type: 'episode', ids: {}, series_title: named.title, season: 1, episode: 1 },
        { type: 'season', ids: item.ids, season: 1 },
      ] as const)
        for (const more of [{}, PLAYED]) mustBe(await report(bench, other, more), ['unsupported'], other.type)
      must(bench.requests().length === before, 'the service was asked')
      await mustCount(bench, 0, 'refused')
      return undefined
    },
  },
  {
    id: 'scrobble.unknown-item',
    group,
    title: 'items that the service does not know are reported as not found',
    points: 2,
    applies: all(records, knowsUnknown),
    async run(subject) {
      await using bench = await subject.open()
      const item = bench.simulator.unknown?.('history')
      must(item !== undefined, 'its stand-in knows everything')
      for (const percent of [95, 55])
        mustBe(await report(bench, item, { ...PLAYED, percent }), ['not_found'], `at ${percent} %`)
      await mustCount(bench, 0, 'not found')
      return undefined
    },
  },
  {
    id: 'scrobble.lost',
    group,
    title: 'a play whose answer is lost is unknown, is not sent again, and is found',
    points: 3,
    applies: onService,
    async run(subject) {
      for (const percent of [95, 55]) {
        await using bench = await subject.open()
        const [item] = (await unseen(bench, 1)) as [Item]
        bench.fault({ kind: 'reset', match: (request) => bench.isWrite(request) })
        mustBe(await report(bench, item, { ...PLAYED, percent }), ['unknown'], `at ${percent} %`)
        bench.clearFaults()
        await mustCount(bench, 1, `lost at ${percent} %`)
        must((await playsOf(bench, item)).length === 1, `lost at ${percent} %: it is not found`)
      }
      return undefined
    },
  },
  {
    id: 'scrobble.broken',
    group,
    title: 'an invalid answer is never reported as a recorded play',
    points: 3,
    applies: onService,
    async run(subject) {
      for (const fault of [
        { kind: 'html', status: 200 },
        { kind: 'empty' },
        { kind: 'status', status: 502 },
      ] as const) {
        await using bench = await subject.open()
        const [item] = (await unseen(bench, 1)) as [Item]
        bench.fault({ ...fault, match: (request) => bench.isWrite(request) })
        mustBe(await report(bench, item, PLAYED), ['unknown'], fault.kind)
        bench.clearFaults()
        must((await playsOf(bench, item)).length === 0, `${fault.kind}: it is told as watched`)
      }
      return undefined
    },
  },
  {
    id: 'scrobble.limited',
    group,
    title: 'a long wait is reported at once, with its time, and nothing is sent again',
    points: 2,
    applies: onService,
    async run(subject) {
      await using bench = await subject.open()
      const [item] = (await unseen(bench, 1)) as [Item]
      const before = bench.requests().filter((request) => bench.isWrite(request)).length
      bench.fault({ kind: 'status', status: 429, headers: { 'retry-after': String(HOUR_S) } })
      const result = await report(bench, item, PLAYED)
      mustBe(result, ['rate_limited'], '429')
      const { retryAfterMs = 0 } = result
      must(
        retryAfterMs > (HOUR_S - 600) * 1_000 && retryAfterMs <= HOUR_S * 1_000,
        `it says to wait ${retryAfterMs} ms, the service said an hour`,
      )
      const sent = bench.requests().filter((request) => bench.isWrite(request)).length - before
      must(sent <= 1, `${sent} requests were sent`)
      await mustCount(bench, 0, 'limited')
      return undefined
    },
  },
  {
    id: 'scrobble.failing',
    group,
    title: 'a failing service is never reported as one that recorded nothing',
    points: 3,
    applies: onService,
    async run(subject) {
      const items = new WeakMap<Bench, Item>()
      await mustNotAnswer(
        subject,
        async (bench) => {
          const [item] = (await unseen(bench, 1)) as [Item]
          items.set(bench, item)
          mustBe(await report(bench, item, PLAYED), ['applied'], 'before')
        },
        (bench) => playsOf(bench, items.get(bench) as Item),
      )
      return undefined
    },
  },
  {
    id: 'scrobble.unconfigured',
    group,
    title: 'without a sign-in it says so, and sends nothing',
    applies: onService,
    async run(subject) {
      await using bench = await subject.open({ signedIn: false })
      const [item] = (await unseen(bench, 1)) as [Item]
      mustBe(await report(bench, item, PLAYED), ['failed'], 'signed out')
      must(bench.requests().length === 0, 'it asked the service')
      await mustSaySignedOut(subject, (other) => playsOf(other, item))
      return undefined
    },
  },
]
