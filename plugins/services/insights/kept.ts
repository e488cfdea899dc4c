// Numbers are made anew only when an account's rows changed. One is made at a time, for all who ask for it.
import { countFeature, type Numbers } from './count.ts'
import { newestRows, type NewestRows } from './newest-rows.ts'
import { type Counted, type ListSources, revisionOf } from './sources.ts'

export interface View extends Numbers {
  readonly rows: NewestRows
}

export interface Views {
  /** @param until of one who can wait for another time: ends the counting, unless somebody else waits for it */
  of(feature: Counted, until?: AbortSignal): Promise<View>
}

interface Kept {
  readonly revision: string
  readonly view: Promise<View>
  /** Somebody waits who has no other time. */
  isAskedFor: boolean
}

// A run may put other rows in place while they are counted.
const MOST_TRIES = 3

export function createViews(sources: ListSources, signal: AbortSignal): Views {
  const kept = new Map<Counted, Kept>()
  let queue: Promise<unknown> = Promise.resolve()

  async function make(feature: Counted, stop: AbortSignal): Promise<View> {
    for (let tries = 1; ; tries += 1) {
      const list = await sources(feature)
      const numbers = await countFeature(feature, list, stop)
      const view = { ...numbers, rows: await newestRows(feature, numbers, list) }
      if (tries === MOST_TRIES || revisionOf(await sources(feature)) === revisionOf(list)) return view
    }
  }

  return {
    async of(feature, until) {
      const revision = revisionOf(await sources(feature))
      until?.throwIfAborted()
      const known = kept.get(feature)
      if (known?.revision === revision) {
        known.isAskedFor ||= until === undefined
        return known.view
      }
      const stop = new AbortController()
      const view = queue.then(() => make(feature, AbortSignal.any([signal, stop.signal])))
      const own: Kept = { revision, view, isAskedFor: until === undefined }
      kept.set(feature, own)
      const forget = () => {
        // Nobody is to get the failure of another time.
        if (kept.get(feature) === own) kept.delete(feature)
      }
      until?.addEventListener(
        'abort',
        () => {
          if (own.isAskedFor) return
          forget()
          stop.abort()
        },
        { once: true },
      )
      queue = view.catch(forget)
      return view
    },
  }
}
