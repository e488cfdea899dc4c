// Joins the problems of all sources: causes with their numbers, and one list in the order of the causes.
import {
  ATTENTION_LIST,
  invalidProblem,
  isPlayheadError,
  type PluginContext,
  type Problem,
  type ProblemCause,
  type ProblemFilter,
  PROBLEMS,
  type ProblemSource,
  type Remote,
  STATUS,
  tokenOf,
} from '@playhead/sdk'
import { withPages } from './at-services.ts'
import { createServiceProblems } from './service-problems.ts'

/** The source of `service-problems.ts`; plugins cannot take its name. */
const SERVICE = 'playhead'

type Source = Pick<Remote<ProblemSource>, 'revision' | 'causes' | 'list'>
/** `cause`: the source with its code, `sync:no_match`. */
interface BoardCause extends Omit<ProblemCause, 'code' | 'only'> {
  readonly cause: string
  readonly only: BoardProblem | null
}
export interface BoardProblem extends Problem {
  readonly cause: string
}
export interface BoardFilter extends ProblemFilter {
  readonly cause?: string | undefined
  /** The kind of action of the cause. */
  readonly action?: ProblemCause['action'] | undefined
}
/** Which problems a change is about; ids as in the list. */
export type BoardSelection = { readonly ids: readonly string[] } | (BoardFilter & { readonly cause: string })

interface Page {
  readonly offset: number
  readonly limit: number
}

export type Board = ReturnType<typeof createBoard>

function named(source: string, code: string, problem: Problem): BoardProblem {
  return { ...problem, cause: `${source}:${code}`, id: `${source}:${problem.id}` }
}

const RANK = ['error', 'warning', 'info'] as const

export function createBoard(ctx: PluginContext) {
  const service = createServiceProblems({
    attention: () => ctx.tryUse(ATTENTION_LIST),
    status: () => ctx.tryUse(STATUS),
    now: Date.now,
  })

  function sources(): readonly (readonly [name: string, source: Source])[] {
    const own = ctx
      .capabilities<ProblemSource>(PROBLEMS)
      .map((reference) => [tokenOf(reference).slice(PROBLEMS.prefix.length), ctx.use(reference)] as const)
      // The sync comes first: its numbers are those of the status.
      .sort(([a], [b]) => Number(b === 'sync') - Number(a === 'sync') || (a < b ? -1 : 1))
    return [...own, [SERVICE, service]]
  }

  /** The source and its own part of a name: `sync:no_match` */
  function split(name: string): readonly [source: string, rest: string] {
    const at = name.indexOf(':')
    return [name.slice(0, Math.max(0, at)), name.slice(at + 1)]
  }

  function changeable(name: string): Remote<ProblemSource> {
    const found = ctx.capabilities<ProblemSource>(PROBLEMS).find(({ token }) => token === `${PROBLEMS.prefix}${name}`)
    if (found === undefined) throw invalidProblem()
    return ctx.use(found)
  }

  /** The result of a source; without it the others are shown, and `onMissing` is called. */
  async function orLeftOut<Result>(
    name: string,
    read: () => Promise<readonly Result[]>,
    onMissing: () => void,
  ): Promise<readonly Result[]> {
    try {
      return await read()
    } catch (error) {
      // The request itself is wrong, for example it names an unknown run.
      if (isPlayheadError(error, 'PLH_NOT_FOUND') || isPlayheadError(error, 'PLH_INVALID')) throw error
      ctx.log.warn({ source: name, err: error }, 'the problems of a source could not be read and are left out')
      onMissing()
      return []
    }
  }

  async function causesOf({ cause, action, ...filter }: BoardFilter, onMissing: () => void) {
    const found = await Promise.all(
      sources().map(async ([name, source]): Promise<readonly BoardCause[]> => {
        if (cause !== undefined && split(cause)[0] !== name) return []
        const own = await orLeftOut(name, () => source.causes(filter), onMissing)
        return own.map(({ code, only, ...one }) => ({
          cause: `${name}:${code}`,
          ...one,
          only: only === undefined ? null : named(name, code, only),
        }))
      }),
    )
    return found
      .flat()
      .filter((one) => (cause === undefined || one.cause === cause) && (action === undefined || one.action === action))
      .toSorted((a, b) => RANK.indexOf(a.severity) - RANK.indexOf(b.severity))
  }

  async function itemsOf(
    all: readonly BoardCause[],
    { cause: only, action: _action, ...filter }: BoardFilter,
    { offset, limit }: Page,
    onMissing: () => void,
  ): Promise<readonly BoardProblem[]> {
    const byName = new Map(sources())
    const items: BoardProblem[] = []
    let before = 0
    for (const { cause, rows } of all) {
      const from = Math.max(0, offset - before)
      before += rows
      if (from >= rows || items.length >= limit) continue
      const [name, code] = split(cause)
      const read = async () =>
        (await byName.get(name)?.list(code, filter, { offset: from, limit: limit - items.length })) ?? []
      // A request for one cause is answered with the error of its source.
      const page = only === undefined ? await orLeftOut(name, read, onMissing) : await read()
      items.push(...page.map((one) => named(name, code, one)))
    }
    return items
  }

  /** Calls the source of each id, or of the cause. */
  async function bySource<Result>(
    selection: BoardSelection,
    act: (source: Remote<ProblemSource>, own: Parameters<ProblemSource['ignore']>[0]) => Promise<Result>,
  ): Promise<readonly (readonly [name: string, result: Result])[]> {
    if ('cause' in selection) {
      const { cause, action: _action, ...filter } = selection
      const [name, code] = split(cause)
      return [[name, await act(changeable(name), { code, filter })]]
    }
    const byName = Map.groupBy(selection.ids.map(split), ([name]) => name)
    const results: [string, Result][] = []
    for (const [name, ids] of byName)
      results.push([name, await act(changeable(name), { ids: ids.map(([, id]) => id) })])
    return results
  }

  return {
    async revision(): Promise<string> {
      const each = sources().map(async ([name, source]) => {
        // While a source fails, no answer is taken for the one before.
        return [name, await source.revision().catch(() => Date.now())]
      })
      return JSON.stringify([ctx.host.revision(), await Promise.all(each)])
    },
    /** The causes, the number of ignored problems with the same filters, and a page of the problems. */
    async read(filter: BoardFilter, page: Page) {
      let isComplete = true
      const onMissing = () => {
        isComplete = false
      }
      const causes = await causesOf(filter, onMissing)
      const ignored = await causesOf({ ...filter, ignored: true }, onMissing)
      const items = page.limit === 0 ? [] : await withPages(ctx, await itemsOf(causes, filter, page, onMissing))
      return { causes, ignored, items, isComplete: isComplete && service.isComplete() }
    },
    async ignore(selection: BoardSelection) {
      const done = await bySource(selection, (source, own) => source.ignore(own))
      return {
        count: done.reduce((sum, [, { count }]) => sum + count, 0),
        undo: done.map(([name, { undo }]) => `${name}:${undo}`),
      }
    },
    async restore(which: { readonly ids: readonly string[] } | { readonly undo: readonly string[] }): Promise<number> {
      if ('ids' in which) {
        const done = await bySource(which, (source, own) => source.restore(own as { readonly ids: readonly string[] }))
        return done.reduce((sum, [, count]) => sum + count, 0)
      }
      let count = 0
      for (const token of which.undo) {
        const [name, undo] = split(token)
        count += await changeable(name).restore({ undo })
      }
      return count
    },
    async retry(selection: BoardSelection) {
      const done = await bySource(selection, (source, own) => source.retry(own))
      return {
        count: done.reduce((sum, [, { count }]) => sum + count, 0),
        run_id: done.find(([, { run_id: id }]) => id !== null)?.[1].run_id ?? null,
      }
    },
  }
}
