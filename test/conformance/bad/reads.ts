// Faults in reading.
import { isPlayheadError, type Item, type ReadPart } from '@playhead/sdk'
import plugin from '../../../sdk/templates/provider/index.ts'
import { type Bad, nothing, spoil, withEnd, withParts, withRows } from './spoil.ts'

const bad = (habit: string, fails: readonly string[], habits: Parameters<typeof spoil>[1]): Bad => ({
  habit,
  fails,
  plugin: spoil(plugin, habits),
})

const CHANGED = ['damage.added-while-reading', 'damage.removed-while-reading']
const BROKEN = ['damage.truncated', 'damage.empty-answer', 'damage.page', 'damage.server-error', 'damage.not-found']

export const badReaders: readonly Bad[] = [
  bad(
    'never calls a read complete',
    ['reads.complete', 'reads.empty', 'reads.times', 'reads.at-once'],
    withEnd(() => ({ complete: false })),
  ),
  bad(
    'tells the end twice',
    ['reads.one-end'],
    withParts((part) => (part.type === 'end' ? [part, part] : [part])),
  ),
  bad(
    'forgets the ids',
    ['reads.identity', 'reads.once', 'reads.true'],
    withRows((rows) => rows.map(({ ids: _ids, ...row }): Item => ({ ...row, title: 'A film', ids: {} }))),
  ),
  bad(
    'gives the first row twice',
    [
      'reads.true',
      'reads.complete',
      'reads.once',
      'reads.times',
      'reads.total',
      'reads.at-once',
      'reads.changes',
      'reads.taken-off',
      'reads.many',
      'reads.stop',
      'reads.cursor-foreign',
    ],
    withRows(([first, ...rows]) => (first === undefined ? [] : [first, first, ...rows])),
  ),
  bad(
    'tells the total of the service, and leaves rows out',
    ['reads.total'],
    withParts((part) => (part.type === 'rows' ? [{ ...part, total: (part.total ?? part.rows.length) + 1 }] : [part])),
  ),
  bad('numbers its rows anew with each read', ['reads.repeatable'], {
    provider(good) {
      let reads = 0
      return {
        async *read(...args) {
          reads += 1
          for await (const part of good.read(...args))
            yield part.type === 'rows'
              ? { ...part, rows: part.rows.map((row) => ({ ...row, native: { event_id: String(reads) } })) }
              : part
        },
      }
    },
  }),
  bad(
    'leaves the ratings out',
    ['reads.values', 'reads.true'],
    withRows((rows) => rows.map(({ rating: _rating, ...row }) => row)),
  ),
  bad('puts the time of its own clock in', ['reads.times', 'reads.true'], {
    provider: (good, ctx) => ({
      async *read(...args) {
        for await (const part of good.read(...args))
          yield part.type === 'rows'
            ? {
                ...part,
                rows: part.rows.map((row) => ({ ...row, rated_at: new Date(ctx.host.startedAtMs).toISOString() })),
              }
            : part
      },
    }),
  }),
  bad('remembers the first read for ever', ['reads.changes', 'reads.taken-off', 'reads.kinds'], {
    provider(good) {
      let kept: readonly ReadPart[] | undefined
      return {
        async *read(...args) {
          yield* (kept ??= await Array.fromAsync(good.read(...args)))
        },
      }
    },
  }),
  bad('cannot read twice at the same time', ['reads.at-once'], {
    provider(good) {
      let isBusy = false
      return {
        async *read(...args) {
          if (isBusy) throw new Error('busy')
          isBusy = true
          try {
            yield* good.read(...args)
          } finally {
            isBusy = false
          }
        },
      }
    },
  }),
  bad('collects everything before it gives anything', ['reads.many'], {
    provider: (good) => ({
      async *read(...args) {
        const parts = await Array.fromAsync(good.read(...args))
        yield { type: 'rows', rows: parts.flatMap((part) => (part.type === 'rows' ? part.rows : [])) }
        yield parts.at(-1) as ReadPart
      },
    }),
  }),
  bad('keeps all that it ever read', ['reads.memory'], {
    provider(good) {
      const kept: unknown[] = []
      return {
        async *read(...args) {
          for await (const part of good.read(...args)) {
            kept.push(
              structuredClone(part),
              'x'.repeat(10).concat(String(kept.length)),
              new Array(10_000).fill(kept.length),
            )
            yield part
          }
        },
      }
    },
  }),
  bad('holds on to all that a read gave until it ends', ['reads.bounded'], {
    provider: (good) => ({
      async *read(...args) {
        const kept: unknown[] = []
        for await (const part of good.read(...args)) {
          if (part.type === 'rows') kept.push(part.rows.map((_row, index) => new Array<number>(1_500).fill(index)))
          yield part
        }
      },
    }),
  }),
  bad(
    'takes every checkpoint for its own, and says that nothing changed',
    ['reads.cursor', 'reads.cursor-during', 'reads.cursor-removal', 'reads.cursor-foreign'],
    {
      provider: (good) => ({
        async *read(instance, request, signal) {
          if (request.since !== undefined)
            yield { type: 'end', end: { complete: true, semantics: 'unchanged', account: 'somebody', checkpoint: '1' } }
          else
            for await (const part of good.read(instance, request, signal))
              yield part.type === 'end' ? { ...part, end: { ...part.end, checkpoint: '1' } } : part
        },
      }),
    },
  ),
  bad(
    'gives checkpoints and makes no use of them',
    ['reads.cursor-used'],
    withEnd(() => ({ checkpoint: '1' })),
  ),
  bad('takes a failure for the end of the list', [...BROKEN, 'damage.timeout'], {
    provider: (good) => ({
      async *read(...args) {
        try {
          yield* good.read(...args)
        } catch (error) {
          if (!isPlayheadError(error)) throw error
          yield nothing
        }
      },
    }),
  }),
  bad(
    'calls every read complete',
    ['damage.removed-while-reading'],
    withEnd(() => ({ complete: true })),
  ),
  bad('gives up when the list changes, and calls it whole', CHANGED, {
    provider: (good) => ({
      async *read(...args) {
        let held: ReadPart | undefined
        for await (const part of good.read(...args)) {
          const isGivenUp = part.type === 'end' && !part.end.complete
          if (held !== undefined && !isGivenUp) yield held
          held = part.type === 'end' ? { ...part, end: { ...part.end, complete: true } } : part
        }
        if (held !== undefined) yield held
      },
    }),
  }),
  bad('gives up at once, and does not say what it was', ['damage.passing', 'damage.cut'], {
    ctx: ({ upstream }) => ({ upstream: { account: (options) => upstream.account({ ...options, tries: 1 }) } }),
    provider: (good) => ({
      async *read(...args) {
        try {
          yield* good.read(...args)
        } catch (error) {
          throw new Error('it did not work', { cause: error })
        }
      },
    }),
  }),
  bad('never tries again', ['damage.passing'], {
    ctx: ({ upstream }) => ({ upstream: { account: (options) => upstream.account({ ...options, tries: 1 }) } }),
  }),
]
