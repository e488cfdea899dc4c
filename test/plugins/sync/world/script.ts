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
import { Life } from './life.ts'
import { behave } from './traits.ts'
import { durationOf, parse, valuesOf } from './words.ts'
import { featureCapabilities } from './world.ts'

/** What can happen. An act that is not possible is left out. */
const ACTS: Readonly<Record<string, (life: Life, words: readonly string[]) => unknown>> = {
  /**
   * `put ANN heat 7`: lists, rates, watches (7 names the viewing) or stops after 70 minutes. `put ANN heat 7 history 400d`:
   * of this feature where there are several; watched that long ago.
   */
  put: (life, [at = '', work = '', value, feature, ago]) =>
    life.put(at, work, value, feature as Feature | undefined, ago === undefined ? undefined : durationOf(ago)),
  /** `drop ANN heat`; `drop ANN heat 7` for one viewing. */
  drop: (life, [at = '', work = '', viewing, feature]) => life.drop(at, work, viewing, feature as Feature | undefined),
  /** `retime ANN heat 7 -3h`: corrects the time of a viewing. */
  retime: (life, [at = '', work = '', viewing = '', by = '']) => life.retime(at, work, viewing, durationOf(by)),
  /** `edit ANN put heat 7`: through Playhead. */
  edit: (life, [at = '', op = '', work = '', value]) => life.edit(at, op, work, value),
  wait: ({ world }, [time = '']) => world.advance(durationOf(time)),
  /** `run`, `run ANN-BEN`, `run ANN-BEN approve`, `run ANN-BEN confirm-mirror`, `run dry` */
  run: (life, words) => life.run(words),
  /** `undo`: the last run or undo that wrote; `undo 2`: the one before. */
  undo: (life, [back = '1']) => life.undo(Number(back)),
  /** `meanwhile BEN drop BEN heat`: when the next write arrives at BEN. */
  meanwhile(life, [at = '', ...words]) {
    life.account(at).beforeWrite = () => void perform(life, words)
  },
  /** `kill 40`: the next run dies at this statement. */
  kill(life, [statement = '']) {
    life.killAt = Number(statement)
  },
  backup(life) {
    life.saved = life.world.backup()
  },
  restore: (life) => life.restore(),
  /** `reset ANN-BEN`, as for a changed mode. */
  async reset(life, [pair = '']) {
    await life.world.engine.resetPair(pair)
    life.forget()
  },
  /** `remake ANN-BEN`: removed, and made again. */
  async remake(life, [id = '']) {
    await life.world.engine.purgePair(id)
    life.pairs((pair) => (pair.id === id ? { ...pair, id: `${id}'` } : pair))
    life.rename(id, `${id}'`)
    life.forget()
  },
  /** `exchange ANN-BEN`: source and target. */
  async exchange(life, [id = '']) {
    await life.world.engine.resetPair(id)
    life.pairs((pair) =>
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
    life.turn(id)
    life.forget()
  },
  /** `option ANN-BEN ratings types=movies` */
  option: (life, [id = '', feature = '', ...options]) => {
    life.pairs((pair) =>
      pair.id === id
        ? {
            ...pair,
            features: { ...pair.features, [feature]: { ...pair.features[feature as Feature], ...valuesOf(options) } },
          }
        : pair,
    )
  },
  /** `rest ANN-BEN`, `wake ANN-BEN` */
  rest: (life, [id = '']) => life.pairs((pair) => (pair.id === id ? { ...pair, enabled: false } : pair)),
  wake: (life, [id = '']) => life.pairs((pair) => (pair.id === id ? { ...pair, enabled: true } : pair)),
  /** `sign-in BEN kim`: another person, or the same one again. */
  'sign-in': (life, [at = '', person = 'user']) => life.signIn(at, person),
  /** `service BEN kinds=movie cache=2m`: behaves so from now on. */
  service: (life, [at = '', ...traits]) => behave(life.account(at), traits),
  /** `ids BEN heat tmdb=777`: shows and finds the work by these ids. */
  ids: (life, [at = '', work = '', ...ids]) => life.account(at).renumber(life.work(work), valuesOf(ids) as Ids),
  /** `merge BEN heat matrix`: heat becomes matrix. */
  merge: (life, [at = '', work = '', into = '']) => life.merge(at, work, into),
  /** `map 100=301`: the anime mapping links AniList 100 to TVDB 301, and nothing else. */
  map: (life, words) => life.mapping.change(words),
  /** `lose BEN heat`: the file is deleted. `found BEN heat`: it is there again, without a mark. */
  lose: (life, [at = '', work = '']) => life.lose(at, work),
  found: (life, [at = '', work = '']) => {
    life.account(at).missing.delete(work)
  },
  hide: (life, [at = '', work = '']) => life.hide(at, work),
  show: (life, [at = '']) => life.account(at).hidden.clear(),
  /** `halve BEN`: a fault of the service sets all ratings to half of what they were. */
  halve(life, [at = '']) {
    const account = life.account(at)
    account.entries = account.entries.map((entry) =>
      entry.rating === undefined ? entry : { ...entry, rating: Math.max(1, Math.round(entry.rating / 2)) },
    )
  },
  /** `fail BEN partial`: the next read; `fail-write BEN throws`: the next write. */
  fail: (life, [at = '', fault = '']) => void life.account(at).readFaults.push(fault as ReadFault),
  'fail-write': (life, [at = '', fault = '']) => void life.account(at).writeFaults.push(fault as WriteFault),
  /** `broken BEN empty`: all reads, until `well BEN`. */
  broken(life, [at = '', fault = '']) {
    life.account(at).readFault = fault as ReadFault
  },
  well(life, [at = '']) {
    life.account(at).readFault = undefined
  },
}

async function perform(life: Life, words: readonly string[]): Promise<void> {
  const [verb = '', ...rest] = words
  const act = ACTS[verb]
  if (act === undefined) throw new RangeError(`there is no act ${verb}`)
  if (verb !== 'run') life.log.push(words.join(' '))
  const result = act(life, rest)
  if (result instanceof Promise) await result
  life.look(verb === 'run' || verb === 'undo')
}

export interface Played {
  readonly violations: readonly Violation[]
  /** Each run: its acts in words, and what it wrote. */
  readonly log: readonly string[]
  readonly life: Life
}

/** Plays a script to its end, and until the accounts are quiet. */
export async function playScript(script: string, { seed = 1, reversed = false } = {}): Promise<Played> {
  const capabilities = (await featureCapabilities()) as Map<string, object>
  const life = await Life.begin(parse(script), seed, reversed)
  await using _world = life.world
  try {
    if (life.start.lines.some(([verb]) => verb === 'map')) capabilities.set('anime-mapping', life.mapping)
    for (const words of life.start.lines) await perform(life, words)
    const noise = await life.settle()
    return {
      violations: [
        ...judge(life.life, await life.end()),
        ...life.broken,
        ...life.invented(),
        ...(await life.misattributed()),
        ...noise,
      ],
      log: life.log,
      life,
    }
  } finally {
    capabilities.delete('anime-mapping')
  }
}
