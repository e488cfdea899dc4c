// Saves the collected changes: tracker rows and lists through plans, account rows as the manual policy. Each way has a dry run
// and an undo.
import { api } from '../../api/client.ts'
import { undoPlans } from '../../parts/runs/undo-plans.ts'
import { blocksOf, bodyOf, type Changes, type Dataset, fieldsOf, type ListData, type Place, type Row } from './state.ts'

export interface SaveOptions {
  readonly force?: boolean
  readonly confirmRemovals?: boolean
}

export interface Trial {
  /** The plan to show; null if there is none. */
  readonly planId: string | null
  readonly rejected: readonly { readonly key: string; readonly reason: string }[]
}

export interface Saved {
  readonly isComplete: boolean
  readonly isWaiting: boolean
  readonly left: readonly { readonly key: string; readonly reason: string }[]
  /** Resolves with one sentence per change that could not be undone. null: there is nothing to undo. */
  readonly undo: (() => Promise<readonly string[]>) | null
}

export interface Save {
  /** Dry run; null if there is no plan to preview. */
  readonly trial: ((changes: Changes, order: readonly string[] | null) => Promise<Trial>) | null
  readonly run: (changes: Changes, order: readonly string[] | null, options: SaveOptions) => Promise<Saved>
}

type Account = Extract<Place, { readonly type: 'account' }>
interface Written {
  readonly ok: boolean
  readonly waiting?: boolean
  readonly rejected?: readonly { readonly key: string; readonly reason: string }[]
  readonly unresolved?: readonly { readonly key: string; readonly reason: string }[]
  readonly [field: string]: unknown
}

function planOf(answer: Written): string | null {
  return typeof answer['plan_id'] === 'string' ? answer['plan_id'] : null
}

function savedOf(answer: Written): Saved {
  const planId = planOf(answer)
  return {
    isComplete: answer.ok,
    isWaiting: answer.waiting === true,
    left: [...(answer.rejected ?? []), ...(answer.unresolved ?? [])],
    undo: planId === null ? null : () => undoPlans([planId], () => {}),
  }
}

const confirmed = ({ force, confirmRemovals }: SaveOptions) => ({
  ...(force === true ? { force: true } : {}),
  ...(confirmRemovals === true ? { confirm_removals: true } : {}),
})

export function saveTracker({ kind, instance }: Account, data: Dataset | undefined): Save {
  const common = { kind, source: 'tracker', provider_instance: instance, revision: data?.revision ?? null }
  return {
    trial: async (changes) => {
      const answer = await api('POST /api/editor', {
        body: { ...common, ...bodyOf(changes), dry_run: true, force: true },
      })
      return { planId: planOf(answer), rejected: answer.rejected ?? [] }
    },
    run: async (changes, _order, options) =>
      savedOf(await api('POST /api/editor', { body: { ...common, ...bodyOf(changes), ...confirmed(options) } })),
  }
}

export function savePolicy({ kind, provider, instance }: Account, data: Dataset | undefined): Save {
  const common = { kind, source: 'state', provider, provider_instance: instance }
  return {
    trial: null,
    async run(changes, _order, options) {
      const { items, original_keys: keys } = bodyOf(changes)
      const blocks = blocksOf(changes)
      const touched = [...changes.keys()]
      const own = data?.manual_adds ?? {}
      const answer = await api('POST /api/editor', {
        body: {
          ...common,
          revision: data?.policy_revision ?? null,
          items,
          original_keys: keys,
          ...(blocks.length === 0 ? {} : { blocks, original_blocks: [] }),
          ...confirmed(options),
        },
      })
      return {
        isComplete: answer.ok,
        isWaiting: false,
        left: answer.rejected ?? [],
        undo: async () => {
          // Restore earlier adds, and drop the other adds and blocks.
          const before = Object.fromEntries(touched.flatMap((key) => (own[key] === undefined ? [] : [[key, own[key]]])))
          const { items: now } = await api('GET /api/editor', {
            query: { kind, provider, provider_instance: instance, source: 'manual', limit: 5_000 },
          })
          const mine = Object.keys(now).filter(
            (key) => touched.includes(key) || items[key] !== undefined || isNew(changes, now[key]),
          )
          await api('POST /api/editor', {
            body: {
              ...{ kind, source: 'manual', provider, provider_instance: instance },
              items: before,
              original_keys: mine,
              ...(blocks.length === 0 ? {} : { blocks: [], original_blocks: blocks }),
            },
          })
          return []
        },
      }
    },
  }
}

/** An added row gets its key when it is saved. */
function isNew(changes: Changes, row: Row['item'] | undefined): boolean {
  const idsOf = (item: Row['item'] | undefined) => JSON.stringify([item?.['ids'], item?.['season'], item?.['episode']])
  return [...changes.values()].some(({ op, row: added }) => op === 'add' && idsOf(added.item) === idsOf(row))
}

/** @param rows the rows of the list as they were loaded */
export function saveList(id: string, data: ListData, rows: readonly Row[]): Save {
  const body = (changes: Changes, order: readonly string[] | null) => {
    const byKey = new Map(rows.map((row) => [row.key, row]))
    const added = [...changes.values()].flatMap(({ op, row }) => (op === 'add' ? [row] : []))
    const keys = order ?? rows.map(({ key }) => key)
    const kept = keys.flatMap((key) => (changes.get(key)?.op === 'remove' ? [] : (byKey.get(key) ?? [])))
    return {
      items: [...kept, ...added].map((row) => ({ ...fieldsOf(row), ...(byKey.has(row.key) ? { key: row.key } : {}) })),
      original_keys: data.original_keys,
      original_ids: data.original_ids,
      checkpoint: data.checkpoint,
    }
  }
  return {
    trial: async (changes, order) => {
      const answer = await api('POST /api/editor/playlists/{endpoint_id}', {
        params: { endpoint_id: id },
        body: { ...body(changes, order), dry_run: true, force: true, confirm_clear: true },
      })
      return { planId: planOf(answer), rejected: answer.rejected }
    },
    run: async (changes, order, options) => {
      const given = body(changes, order)
      return savedOf(
        await api('POST /api/editor/playlists/{endpoint_id}', {
          params: { endpoint_id: id },
          body: { ...given, ...confirmed(options), ...(given.items.length === 0 ? { confirm_clear: true } : {}) },
        }),
      )
    },
  }
}
