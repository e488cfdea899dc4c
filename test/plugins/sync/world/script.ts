// Lives as texts: accounts and pairs, and then what happens, a line each. A text is played on the engine, and judged by what
// its person meant (meaning.ts).
//
//   account BEN stamps ahead=10m      how the service behaves, see traits.ts
//   pair ANN <> BEN ratings mode=all  two-way; `>` one-way, `>>` a mirror; `by-play` for single plays
//   anchors 4                         titles that all accounts have, and no act touches
//   put ANN heat 7                    see `ACTS`
//   run
import type { Feature, Ids } from '@playhead/sdk'
import type { ReadFault, WriteFault } from './account.ts'
import { judge, type Violation } from './meaning.ts'
import { Play } from './play.ts'
import { behave } from './traits.ts'
import { durationOf, parse, valuesOf } from './words.ts'
import { featureCapabilities } from './world.ts'

/** What can happen. An act that is not possible is left out. */
const ACTS: Readonly<Record<string, (play: Play, words: readonly string[]) => unknown>> = {
  /**
   * `put ANN heat 7`: lists, rates, watches (7 names the viewing) or stops after 70 minutes. `put ANN heat 7 history 400d`:
   * of this feature where there are several; watched that long ago.
   */
  put: (play, [at = '', work = '', value, feature, ago]) =>
    play.put(at, work, value, feature as Feature | undefined, ago === undefined ? undefined : durationOf(ago)),
  /** `drop ANN heat`; `drop ANN heat 7` for one viewing. */
  drop: (play, [at = '', work = '', viewing, feature]) => play.drop(at, work, viewing, feature as Feature | undefined),
  /** `retime ANN heat 7 -3h`: corrects the time of a viewing. */
  retime: (play, [at = '', work = '', viewing = '', by = '']) => play.retime(at, work, viewing, durationOf(by)),
  /** `edit ANN put heat 7`: through Playhead. */
  edit: (play, [at = '', op = '', work = '', value]) => play.edit(at, op, work, value),
  wait: ({ world }, [time = '']) => world.advance(durationOf(time)),
  /** `run`, `run ANN-BEN`, `run ANN-BEN approve`, `run ANN-BEN confirm-mirror`, `run dry` */
  run: (play, words) => play.run(words),
  /** `undo`: the last run or undo that wrote; `undo 2`: the one before. */
  undo: (play, [back = '1']) => play.undo(Number(back)),
  /** `meanwhile BEN drop BEN heat`: when the next write arrives at BEN. */
  meanwhile(play, [at = '', ...words]) {
    play.account(at).beforeWrite = () => void perform(play, words)
  },
  /** `kill 40`: the next run dies at this statement. */
  kill(play, [statement = '']) {
    play.killAt = Number(statement)
  },
  backup(play) {
    play.saved = play.world.backup()
  },
  restore: (play) => play.restore(),
  /** `reset ANN-BEN`, as for a changed mode. */
  async reset(play, [pair = '']) {
    await play.world.engine.resetPair(pair)
    play.forget()
  },
  /** `remake ANN-BEN`: removed, and made again. */
  async remake(play, [id = '']) {
    await play.world.engine.purgePair(id)
    play.pairs((pair) => (pair.id === id ? { ...pair, id: `${id}'` } : pair))
    play.rename(id, `${id}'`)
    play.forget()
  },
  /** `exchange ANN-BEN`: source and target. */
  async exchange(play, [id = '']) {
    await play.world.engine.resetPair(id)
    play.pairs((pair) =>
      pair.id === id
        ? {
            ...pair,
            source: pair.target,
            target: pair.source,
            source_instance: pair.target_instance,
            target_instance: pair.source_instance,
          }
        : pair,
    )
    play.turn(id)
    play.forget()
  },
  /** `option ANN-BEN ratings types=movies` */
  option: (play, [id = '', feature = '', ...options]) => {
    play.pairs((pair) =>
      pair.id === id
        ? {
            ...pair,
            features: { ...pair.features, [feature]: { ...pair.features[feature as Feature], ...valuesOf(options) } },
          }
        : pair,
    )
  },
  /** `rest ANN-BEN`, `wake ANN-BEN` */
  rest: (play, [id = '']) => play.pairs((pair) => (pair.id === id ? { ...pair, enabled: false } : pair)),
  wake: (play, [id = '']) => play.pairs((pair) => (pair.id === id ? { ...pair, enabled: true } : pair)),
  /** `sign-in BEN kim`: another person, or the same one again. */
  'sign-in': (play, [at = '', person = 'user']) => play.signIn(at, person),
  /** `service BEN kinds=movie cache=2m`: behaves so from now on. */
  service: (play, [at = '', ...traits]) => behave(play.account(at), traits),
  /** `ids BEN heat tmdb=777`: shows and finds the work by these ids. */
  ids: (play, [at = '', work = '', ...ids]) => play.account(at).renumber(play.work(work), valuesOf(ids) as Ids),
  /** `merge BEN heat matrix`: heat becomes matrix. */
  merge: (play, [at = '', work = '', into = '']) => play.account(at).merge(play.work(work), play.work(into)),
  /** `map 100=301`: the anime mapping links AniList 100 to TVDB 301, and nothing else. */
  map: (play, words) => play.mapping.change(words),
  /** `lose BEN heat`: the file is deleted. `found BEN heat`: it is there again, without a mark. */
  lose: (play, [at = '', work = '']) => play.lose(at, work),
  found: (play, [at = '', work = '']) => {
    play.account(at).missing.delete(work)
  },
  hide: (play, [at = '', work = '']) => play.hide(at, work),
  show: (play, [at = '']) => play.account(at).hidden.clear(),
  /** `halve BEN`: a fault of the service sets all ratings to half of what they were. */
  halve(play, [at = '']) {
    const account = play.account(at)
    account.entries = account.entries.map((entry) =>
      entry.rating === undefined ? entry : { ...entry, rating: Math.max(1, Math.round(entry.rating / 2)) },
    )
  },
  /** `fail BEN partial`: the next read; `fail-write BEN throws`: the next write. */
  fail: (play, [at = '', fault = '']) => void play.account(at).readFaults.push(fault as ReadFault),
  'fail-write': (play, [at = '', fault = '']) => void play.account(at).writeFaults.push(fault as WriteFault),
  /** `broken BEN empty`: all reads, until `well BEN`. */
  broken(play, [at = '', fault = '']) {
    play.account(at).readFault = fault as ReadFault
  },
  well(play, [at = '']) {
    play.account(at).readFault = undefined
  },
}

async function perform(play: Play, words: readonly string[]): Promise<void> {
  const [verb = '', ...rest] = words
  const act = ACTS[verb]
  if (act === undefined) throw new RangeError(`there is no act ${verb}`)
  if (verb !== 'run') play.log.push(words.join(' '))
  const result = act(play, rest)
  if (result instanceof Promise) await result
  play.look(verb === 'run')
}

export interface Played {
  readonly violations: readonly Violation[]
  /** Each run: its acts in words, and what it wrote. */
  readonly log: readonly string[]
  readonly play: Play
}

/** Plays a script to its end, and until the accounts are quiet. */
export async function playScript(script: string, { seed = 1, reversed = false } = {}): Promise<Played> {
  const capabilities = (await featureCapabilities()) as Map<string, object>
  const play = await Play.begin(parse(script), seed, reversed)
  await using _world = play.world
  try {
    if (play.start.lines.some(([verb]) => verb === 'map')) capabilities.set('anime-mapping', play.mapping)
    for (const words of play.start.lines) await perform(play, words)
    const noise = await play.settle()
    return {
      violations: [...judge(play.life, await play.end()), ...play.broken, ...play.invented(), ...noise],
      log: play.log,
      play,
    }
  } finally {
    capabilities.delete('anime-mapping')
  }
}
