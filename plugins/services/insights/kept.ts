// Numbers are made anew only when an account's rows changed. One is made at a time, for all who ask for it.
import { countFeature, type Numbers } from './count.ts'
import { newestRows, type NewestRows } from './newest-rows.ts'
import { type Counted, type ListSources, revisionOf } from './sources.ts'

export interface View extends Numbers {
  readonly rows: NewestRows
}

export interface Views {
  of(feature: Counted): Promise<View>
}

// A run may put other rows in place while they are counted.
const MOST_TRIES = 3

export function createViews(sources: ListSources, signal: AbortSignal): Views {
  const kept = new Map<Counted, { readonly revision: string; readonly view: Promise<View> }>()
  let queue: Promise<unknown> = Promise.resolve()

  async function make(feature: Counted): Promise<View> {
    for (let tries = 1; ; tries += 1) {
      const list = await sources(feature)
      const numbers = await countFeature(feature, list, signal)
      const view = { ...numbers, rows: await newestRows(feature, numbers, list) }
      if (tries === MOST_TRIES || revisionOf(await sources(feature)) === revisionOf(list)) return view
    }
  }

  return {
    async of(feature) {
      const revision = revisionOf(await sources(feature))
      const known = kept.get(feature)
      if (known?.revision === revision) return known.view
      const view = queue.then(() => make(feature))
      kept.set(feature, { revision, view })
      queue = view.catch(() => {
        // Nobody is to get the failure of another time.
        if (kept.get(feature)?.view === view) kept.delete(feature)
      })
      return view
    },
  }
}
