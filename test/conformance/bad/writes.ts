// Faults in writing, waiting, and separating people.
import { isPlayheadError, type WriteOutcome, type WriteOutcomeKind } from '@playhead/sdk'
import plugin from '../../../sdk/templates/provider/index.ts'
import { type Bad, type Habits, nothing, spoil } from './spoil.ts'

const bad = (habit: string, fails: readonly string[], habits: Parameters<typeof spoil>[1]): Bad => ({
  habit,
  fails,
  plugin: spoil(plugin, habits),
})

/** Changes the outcomes of the good provider. */
const tells = (change: (outcome: WriteOutcome, index: number) => readonly WriteOutcome[]): Habits => ({
  provider: (good) => ({
    async write(...args) {
      const result = await good.write(...args)
      return { ...result, outcomes: result.outcomes.flatMap(change) }
    },
  }),
})
const instead = (of: readonly WriteOutcomeKind[], outcome: WriteOutcomeKind): Habits =>
  tells((told) => [of.includes(told.outcome) ? { key: told.key, outcome } : told])

export const badWriters: readonly Bad[] = [
  bad(
    'says that it wrote, and did not',
    [
      'writes.add',
      'writes.not-found',
      'writes.title-only',
      'writes.remove',
      'writes.update',
      'writes.lost-answer',
      'writes.server-error',
      'writes.batch',
      'writes.again',
      'writes.partial',
      'writes.retried',
      'writes.true',
      'writes.by-ids',
      'writes.remove-lost',
      'writes.full-batch',
    ],
    {
      provider: () => ({
        write: async (_instance, { items }) => ({ outcomes: items.map(({ key }) => ({ key, outcome: 'applied' })) }),
      }),
    },
  ),
  bad(
    'forgets the last outcome',
    [
      'writes.add',
      'writes.one-outcome',
      'writes.again',
      'writes.not-found',
      'writes.title-only',
      'writes.remove',
      'writes.remove-absent',
      'writes.update',
      'writes.retried',
      'writes.full-batch',
      'writes.true',
    ],
    {
      provider: (good) => ({
        async write(...args) {
          const result = await good.write(...args)
          return { ...result, outcomes: result.outcomes.slice(0, -1) }
        },
      }),
    },
  ),
  bad(
    'tells an outcome twice',
    ['writes.one-outcome'],
    tells((told) => [told, told]),
  ),
  bad('calls a title enough', ['writes.title-only'], instead(['unsupported'], 'applied')),
  bad('calls an unknown item written', ['writes.not-found'], instead(['not_found'], 'applied')),
  bad('calls a lost answer a failure', ['writes.lost-answer'], instead(['unknown'], 'failed')),
  bad('calls a failure a success', ['writes.server-error', 'writes.partial'], instead(['failed'], 'applied')),
  bad(
    'takes something off with everything that it adds',
    [
      'writes.leaves-others',
      'writes.update',
      'writes.add',
      'writes.again',
      'writes.not-found',
      'writes.retried',
      'writes.by-ids',
      'writes.full-batch',
      'writes.true',
    ],
    {
      provider: (good) => ({
        async write(instance, request, signal) {
          const result = await good.write(instance, request, signal)
          for await (const part of request.op === 'remove' ? [] : good.read(instance, { feature: 'ratings' }, signal)) {
            const [item] = part.type === 'rows' ? part.rows : []
            if (item !== undefined)
              await good.write(instance, { feature: 'ratings', op: 'remove', items: [{ key: 'x', item }] }, signal)
          }
          return result
        },
      }),
    },
  ),
  bad('takes batches of any size', ['writes.batch'], {
    provider: (good) => ({
      async write(instance, request, signal) {
        if (request.items.length <= 50) return good.write(instance, request, signal)
        return { outcomes: request.items.map(({ key }) => ({ key, outcome: 'unknown' })) }
      },
    }),
  }),
  bad('says that it removed, and did not', ['writes.remove', 'writes.remove-lost'], {
    provider: (good) => ({
      write: async (instance, request, signal) =>
        request.op === 'remove'
          ? { outcomes: request.items.map(({ key }) => ({ key, outcome: 'applied' })) }
          : good.write(instance, request, signal),
    }),
  }),
  bad('calls a limit a failure', ['limits.write'], instead(['rate_limited'], 'failed')),
  bad('reads nothing when the allowance is used up', ['limits.long', 'limits.quota', 'limits.plan'], {
    provider: (good) => ({
      async *read(...args) {
        try {
          yield* good.read(...args)
        } catch (error) {
          if (!isPlayheadError(error, 'PLH_RATE_LIMITED')) throw error
          yield nothing
        }
      },
    }),
  }),
  bad('takes a limit of the plan for a bad key, and reads nothing', ['limits.plan'], {
    provider: (good) => ({
      async *read(...args) {
        try {
          yield* good.read(...args)
        } catch (error) {
          if (!isPlayheadError(error) || ![420, 426].includes(Number(error.details?.['status']))) throw error
          yield nothing
        }
      },
    }),
  }),
  bad('says of a batch what became of its first item', ['writes.partial', 'writes.not-found'], {
    provider: (good) => ({
      async write(...args) {
        const result = await good.write(...args)
        const { outcome = 'unknown' } = result.outcomes[0] ?? {}
        return { ...result, outcomes: result.outcomes.map((told) => ({ key: told.key, outcome })) }
      },
    }),
  }),
  bad('takes every trouble for a bad key', ['limits.probe', 'limits.plan', 'limits.down'], {
    provider: (good) => ({
      async probe(...args) {
        const health = await good.probe(...args)
        return health.status === 'ok' ? health : { ...health, status: 'auth_failed' }
      },
    }),
  }),
  bad('reads the first profile for everybody', ['isolation.rows', 'isolation.at-once'], {
    provider: (good) => ({ read: (_instance, request, signal) => good.read('default', request, signal) }),
  }),
  bad('writes to the first profile for everybody', ['isolation.writes'], {
    provider: (good) => ({ write: (_instance, request, signal) => good.write('default', request, signal) }),
  }),
  bad('disconnects everybody at once', ['isolation.disconnect'], {
    provider: (good) => ({
      async disconnect() {
        for (const { id } of good.profiles()) await good.disconnect(id)
      },
    }),
  }),
  bad('keeps profiles that were removed', ['isolation.removed'], {
    provider: () => ({ removeProfile: async () => {} }),
  }),
  bad('calls it a failure that there is nothing to remove', ['writes.remove-absent', 'writes.remove-lost'], {
    provider: (good) => ({
      async write(instance, request, signal) {
        const result = await good.write(instance, request, signal)
        if (request.op !== 'remove') return result
        return {
          outcomes: result.outcomes.map((told) =>
            told.outcome === 'applied' ? told : { key: told.key, outcome: 'failed' },
          ),
        }
      },
    }),
  }),
  bad('never forgets a limit', ['limits.write-later'], {
    provider(good) {
      let isHeld = false
      return {
        async write(instance, request, signal) {
          if (isHeld) return { outcomes: request.items.map(({ key }) => ({ key, outcome: 'rate_limited' })) }
          const result = await good.write(instance, request, signal)
          isHeld = result.outcomes.some(({ outcome }) => outcome === 'rate_limited')
          return result
        },
      }
    },
  }),
  bad('does not say that it was asked to wait', ['limits.retry-after', 'limits.long'], {
    ctx: ({ upstream }) => ({ upstream: { account: (options) => upstream.account({ ...options, tries: 1 }) } }),
    provider: (good) => ({
      async *read(...args) {
        try {
          yield* good.read(...args)
        } catch (error) {
          if (isPlayheadError(error, 'PLH_RATE_LIMITED')) throw new Error('it did not work')
          throw error
        }
      },
    }),
  }),
  bad('takes the checkpoint of one profile for that of another', ['isolation.checkpoint'], {
    provider: (good) => ({
      async *read(instance, request, signal) {
        if (request.since !== undefined)
          yield { type: 'end', end: { complete: true, semantics: 'unchanged', account: 'somebody', checkpoint: '1' } }
        else
          for await (const part of good.read(instance, request, signal))
            yield part.type === 'end' ? { ...part, end: { ...part.end, checkpoint: '1' } } : part
      },
    }),
  }),
  bad('signs everybody out when one key is refused', ['isolation.revoked'], {
    provider(good) {
      let isRefused = false
      return {
        async *read(...args) {
          try {
            yield* good.read(...args)
          } catch (error) {
            isRefused ||= isPlayheadError(error, 'PLH_AUTH_FAILED')
            throw error
          }
        },
        probe: async (...args) => (isRefused ? { status: 'auth_failed' } : good.probe(...args)),
      }
    },
  }),
]
